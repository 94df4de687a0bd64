import { Big } from 'big.js';
import type { FastifyInstance } from 'fastify';
import { asCents, sum } from '../../domain/money.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { ApiContext } from '../deps.ts';
import { idOf } from '../resource/routes.ts';
import { mailingRoute, mustExist } from './action-route.ts';

/** Counted from what there is. */
const COUNTED = ['recipients', 'failed', 'skipped', 'uncertain', 'actions', 'new_users', 'unsubscribes', 'orders'] as const;
/** Opens, clicks, bounces and complaints are not recorded by this installation yet: none is known of. */
const UNKNOWN_OF = [
  'opens',
  'raw_opens',
  'total_opens',
  'total_raw_opens',
  'clicks',
  'raw_clicks',
  'total_clicks',
  'total_raw_clicks',
  'bounces',
  'bounces_all',
  'complaints',
] as const;
/** Of orders that were not given back; `amount` adds up whatever currencies they were in. Decimals as texts. */
const AMOUNTS = ['amount', 'amount_converted'] as const;
/** Each per recipient, from 0 to 1. */
const RATES = {
  open_rate: 'opens',
  click_rate: 'clicks',
  action_rate: 'actions',
  unsubscribe_rate: 'unsubscribes',
  bounce_rate: 'bounces',
  complaint_rate: 'complaints',
} as const;

type Counted = Record<(typeof COUNTED)[number], number> & Record<(typeof AMOUNTS)[number], string>;

/** GET /rest/v1/mailer/{id}/results/: totals, and the same by subject. */
export function registerResults(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute('mailer:read', 'What came of the mailing', { 200: DOCUMENT });
  app.get('/rest/v1/mailer/:id/results/', options, async (request) => {
    const id = idOf(request);
    await mustExist(context, id);
    const subjects = await readSubjects(context, id);
    const totals = Object.fromEntries([
      ...COUNTED.map((name) => [name, subjects.reduce((total, subject) => total + subject[name], 0)]),
      ...AMOUNTS.map((name) => [name, asCents(sum(subjects.map((subject) => new Big(subject[name]))))]),
    ]) as Counted;
    return {
      mailing_id: id,
      totals: statistics(totals),
      subjects: subjects.map(({ subject_id, subject, ...counts }) => ({ subject_id, subject, ...statistics(counts) })),
    };
  });
}

const OF_ACTIONS = new Set(['actions', 'new_users', 'unsubscribes', 'orders']);

// One pass over the mailing's ledger and one over its actions. A recipient's subject is the position modulo the number of subjects, as when it was
// sent; an action is the subject's whose recipient took it, and one of somebody who was sent nothing (a forwarded mail) the first one's.
const BY_SUBJECT = `
  with subject as (select id, text, row_number() over (order by position, id) - 1 as place, count(*) over () as many
    from core_mailingsubject where mailing_id = $1),
  sent as (
    select (position % (select max(many) from subject)) as place,
      count(*) filter (where state = ${LEDGER_STATE.accepted})::int as recipients, count(*) filter (where state = ${LEDGER_STATE.failed})::int as failed,
      count(*) filter (where state = ${LEDGER_STATE.skipped})::int as skipped, count(*) filter (where state = ${LEDGER_STATE.uncertain})::int as uncertain
    from send_ledger where mailing_id = $1 group by 1),
  acted as (
    select coalesce(l.position % (select max(many) from subject), 0) as place, count(*)::int as actions,
      count(*) filter (where a.created_user)::int as new_users,
      count(distinct a.user_id) filter (where exists (
        select from core_subscriptionhistory h where h.action = a.id and h.change like 'unsubscribe%'))::int as unsubscribes,
      count(o.id)::int as orders, round(coalesce(sum(o.total), 0), 2)::text as amount,
      round(coalesce(sum(o.total_converted), 0), 2)::text as amount_converted
    from core_action a left join core_order o on o.action_id = a.id and o.status = 'completed' left join send_ledger l on l.user_id = a.user_id and l.mailing_id = $1
    where a.mailing_id = $1 group by 1)
  select subject.id as subject_id, subject.text as subject,
    ${COUNTED.map((name) => `coalesce(${OF_ACTIONS.has(name) ? 'acted' : 'sent'}.${name}, 0) as ${name}`).join(', ')},
    ${AMOUNTS.map((name) => `coalesce(acted.${name}, '0.00') as ${name}`).join(', ')}
  from subject left join sent using (place) left join acted using (place) order by place`;

async function readSubjects({ pool }: ApiContext, id: number): Promise<({ subject_id: number; subject: string } & Counted)[]> {
  return (await pool.query(BY_SUBJECT, [id])).rows;
}

function statistics(counts: Counted): Record<string, unknown> {
  const all: Record<string, number | string> = { ...Object.fromEntries(UNKNOWN_OF.map((name) => [name, 0])), ...counts };
  const rates = Object.entries(RATES).map(([rate, name]) => [rate, counts.recipients ? Number(all[name]) / counts.recipients : 0]);
  return { ...all, ...Object.fromEntries(rates) };
}

const STATISTICS = {
  ...Object.fromEntries([...COUNTED, ...UNKNOWN_OF].map((name) => [name, { type: 'integer' }])),
  recipients: { type: 'integer', description: 'Mails the relay accepted.' },
  ...Object.fromEntries(UNKNOWN_OF.map((name) => [name, { type: 'integer', description: 'Not recorded by this installation yet: 0.' }])),
  amount: { type: 'string', description: 'Of orders, a decimal; whatever currencies they were in.' },
  amount_converted: { type: 'string', description: 'Of orders, in US dollars.' },
  ...Object.fromEntries(Object.entries(RATES).map(([rate, name]) => [rate, { type: 'number', description: `${name} per recipient.` }])),
};

const DOCUMENT = {
  type: 'object',
  required: ['mailing_id', 'totals', 'subjects'],
  properties: {
    mailing_id: { type: 'integer' },
    totals: { type: 'object', required: Object.keys(STATISTICS), properties: STATISTICS },
    subjects: {
      type: 'array',
      items: {
        type: 'object',
        required: ['subject_id', 'subject', ...Object.keys(STATISTICS)],
        properties: { subject_id: { type: 'integer' }, subject: { type: 'string' }, ...STATISTICS },
      },
    },
  },
};
