import { EVENT_MILES, MOST_MILES } from '../../domain/targeting/fields.ts';
import { DIALECTS, MONTHLY_DONOR_STATES } from '../../domain/words.ts';

const miles = (description: string) => ({ type: 'number', exclusiveMinimum: 0, maximum: MOST_MILES, description });
const only = (what: string) => ({ type: 'boolean', description: `Only events in the same ${what}.` });
const strings = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
const names = (description: string) => ({
  type: 'array',
  items: { type: ['string', 'integer'] },
  description: `${description} What is gone, by its id.`,
});

/** JSON schema of a side as shown. */
export const TARGETING_SCHEMA = {
  type: 'object',
  properties: {
    users: strings('URIs of users.'),
    lists: names('Names of lists.'),
    states: strings('Two-letter codes of states.'),
    countries: strings('Names of countries.'),
    regions: strings('Names of regions.'),
    zips: strings('Five digits, the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY).'),
    zip_radius: miles('Miles around the places in zips; without zips nothing is built.'),
    counties: strings('Names of counties.'),
    cds: strings('Congressional districts, NY_12.'),
    state_house_districts: strings('Districts of the lower house of a state, NY_012.'),
    state_senate_districts: strings('Districts of the senate of a state, NY_012.'),
    has_donated: { type: 'boolean', description: 'true: has given something that was not given back; false: has not.' },
    was_monthly_donor: {
      type: 'array',
      items: { enum: MONTHLY_DONOR_STATES },
      description: 'What is true of a monthly profile of theirs, or was.',
    },
    actions: names('Names of pages somebody took an action on.'),
    tags: names('Names of tags of such pages.'),
    campaigns: names('Names of campaigns with a coming event near somebody.'),
    campaign_radius: miles(
      `Miles between somebody and the event; ${EVENT_MILES} when it is not given. Without campaigns nothing is built.`,
    ),
    campaign_samestate_only: only('state'),
    campaign_same_county_only: only('county'),
    campaign_same_district_only: only('congressional district'),
    target_groups: strings('URIs of target groups, one of whose targets stands for where somebody lives.'),
    languages: names('Names of languages.'),
    mailings: { type: 'array', items: { type: 'integer' }, description: 'Ids of mailings somebody was sent.' },
    raw_sql: {
      type: 'array',
      items: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            required: ['sql', 'dialect'],
            properties: { sql: { type: 'string' }, dialect: { type: 'string', enum: DIALECTS } },
          },
        ],
      },
      description: 'SELECT statements that give user ids in their first column: PostgreSQL, or objects with sql and dialect.',
    },
    query_reports: {
      type: 'array',
      items: {
        type: 'object',
        required: ['short_name', 'params'],
        properties: { short_name: { type: 'string' }, params: { type: 'object', additionalProperties: true } },
      },
      description: 'Saved reports that give user ids in their first column.',
    },
  },
  additionalProperties: false,
};
