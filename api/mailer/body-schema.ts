import { SORT_ORDERS } from '../../domain/words.ts';
import { booleanTaken } from '../resource/taken.ts';
import { TARGETING_SCHEMA } from './targeting-schema.ts';

// What POST and PATCH of a mailing take, for the API document. The readers in input/ decide.

const text = (description: string) => ({ type: ['string', 'null'], description });
const flag = booleanTaken;
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
const uri = (description: string) => ({
  anyOf: [{ type: 'string', format: 'uri-reference' }, { type: 'integer' }, { type: 'null' }],
  description,
});
const uriOnly = (description: string) => ({ type: ['string', 'null'], format: 'uri-reference', description });
const uris = (description: string) => ({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, description });

/** Each field of one side as taken: members by name, id or URI; null or an empty list takes the field away. */
const targeting = (description: string) => ({
  type: 'object',
  description,
  additionalProperties: false,
  properties: Object.fromEntries(
    Object.entries(TARGETING_SCHEMA.properties).map(([name, shown]) => [
      name,
      shown.type === 'boolean'
        ? { anyOf: [...booleanTaken().anyOf, { type: 'null' }], description: shown.description }
        : shown.type !== 'array'
          ? { ...shown, type: [shown.type, 'null'] }
          : {
              type: ['array', 'null'],
              items: name === 'query_reports' ? (shown as { items: object }).items : {},
              description: shown.description,
            },
    ]),
  ),
});

const PROPERTIES = {
  subjects: texts('Assigned to the recipients evenly.'),
  preview_text: texts('One for each subject; the last stands for those missing.'),
  html: text('Template of the HTML version.'),
  text: text('Template of the text version; made from the HTML where empty.'),
  fromline: {
    anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'object', properties: { from_line: { type: 'string' } } }, { type: 'null' }],
    description: 'URI of a from line, an object {from_line} to find or create, or the line itself: "Name" <name@example.org>.',
  },
  custom_fromline: text('A from line stored with this mailing alone.'),
  reply_to: text('Reply-To address.'),
  emailwrapper: uri('An email wrapper.'),
  lang: uri('A language.'),
  landing_page: uri('A page.'),
  fields: { description: 'Custom fields: {name, value} or {key, value} in a list, pairs in a list, or one object.' },
  notes: text('Notes.'),
  tags: texts('Names of tags, found or created; URIs and ids are taken too.'),
  web_viewable: flag('Whether it can be read on the web.'),
  track_opens: flag('false leaves the open pixel out of this mailing.'),
  track_clicks: flag('false leaves the links of this mailing as they are.'),
  includes: targeting('Whom the mailing is for: everyone who matches every field.'),
  excludes: targeting('Whom it is not for: everyone who matches any field.'),
  limit: { type: ['integer', 'null'], minimum: 1, description: 'Most users mailed.' },
  sort_by: { enum: [...SORT_ORDERS, null], description: 'In which order.' },
  mails_per_second: { type: ['number', 'null'], exclusiveMinimum: 0, description: 'May be fractional.' },
  target_group_from_landing_page: flag('Only people whom a target of the landing page stands for.'),
  target_mergefile: flag('Only people with a row in the mergefile.'),
  mergefile: uri('A merge file, whose rows templates may show.'),
  rebuild_query_at_send: flag('Build the set of users anew right before sending.'),
  reviewers: uris('Users who get proofs, as URIs.'),
  proof_users: uris('Users whom proofs are made for: URIs, ids or emails.'),
  requested_proofs: { type: 'integer', minimum: 0, maximum: 100, description: 'Proofs sent per request.' },
  submitter: uriOnly('An admin user, as a URI.'),
  scheduled_by: uriOnly('An admin user, as a URI.'),
  scheduled_for: { type: ['string', 'null'], description: 'UTC; sending begins then, once the mailing has been queued.' },
};

/** @param complete on create */
export function mailingBody(complete: boolean): object {
  const guard = {
    targeting_version: { type: 'integer', description: 'When it is not the stored one, the answer is 409 and nothing changes.' },
  };
  return {
    type: 'object',
    ...(complete ? { required: ['subjects'] } : { minProperties: 1 }),
    properties: complete ? PROPERTIES : { ...PROPERTIES, ...guard },
  };
}
