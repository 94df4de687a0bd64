import { saveCampaignOfPage } from '../../core/events/event-page.ts';
import { uriOf } from '../../domain/uris.ts';
import { fragment } from '../../entities/tables.ts';
import { actionOf, pageOf } from '../pages/pages.ts';
import type { Change, FieldOverride } from '../resource/declare.ts';

async function saveCampaign({ sql, id, extra }: Change): Promise<void> {
  if (extra['campaign'] === undefined) return;
  await saveCampaignOfPage(sql, id, extra['campaign']);
}

const campaign: FieldOverride = {
  kind: 'reference',
  to: 'campaign',
  readonly: false,
  required: true,
  nullable: true,
  nullIsAbsent: true,
  help: 'The campaign its events belong to; null once that was deleted.',
  sql: '(select e.campaign_id from events_eventpage e where e.page_ptr_id = t.id)',
  show: (row) => (row['campaign'] === null ? null : uriOf('campaign', row['campaign'] as number)),
  schema: { type: ['string', 'null'], format: 'uri-reference' },
  filteredBy: {
    column: fragment`e.campaign_id`,
    where: (condition, alias) => fragment`${alias}.id in (select e.page_ptr_id from events_eventpage e where ${condition})`,
  },
};

const OF_CAMPAIGN = {
  fields: { campaign },
  filtering: { campaign: ['exact', 'in'] },
  hooks: { afterCreate: saveCampaign, afterUpdate: saveCampaign },
} satisfies Parameters<typeof pageOf>[2];

export const eventcreatepage = pageOf('eventcreate', 'a page on which people make events of a campaign', OF_CAMPAIGN);
export const eventsignuppage = pageOf('eventsignup', 'a page on which people say that they come to events of a campaign', OF_CAMPAIGN);

const made = (to: string, table: string, column: string, help: string, name = to): FieldOverride => ({
  help,
  nullable: true,
  schema: { type: ['string', 'null'], format: 'uri-reference' },
  sql: `(select min(e.${column}) from ${table} e where e.action_id = t.id)`,
  show: (row) => (row[name] === null ? null : uriOf(to, row[name] as number)),
});

export const eventcreateaction = actionOf('eventcreate', { event: made('event', 'events_event', 'id', 'The event that was made.') });
export const eventsignupaction = actionOf('eventsignup', {
  event: made('event', 'events_eventsignup', 'event_id', 'The event the person comes to.'),
  eventsignup: made('eventsignup', 'events_eventsignup', 'id', 'That they come; null once they have said so again.'),
  // By this name clients of the public platform read it.
  signup: made('eventsignup', 'events_eventsignup', 'id', 'The same as `eventsignup`.', 'signup'),
});
