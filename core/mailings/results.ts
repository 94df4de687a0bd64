import { Big } from 'big.js';
import type { Pool } from '../../db/driver.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { asCents, sum as moneySum } from '../../domain/money.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { mustExist } from './existing.ts';

/** What became of the mails, from the ledger. */
const SENT = ['targeted', 'pending', 'recipients', 'failed', 'skipped', 'uncertain'] as const;
/** What people did with them: kept as it comes (core/tracking/track-writer.ts). Raw counts hold machines too. */
const TRACKED = [
  'opens',
  'raw_opens',
  'total_opens',
  'total_raw_opens',
  'clicks',
  'raw_clicks',
  'total_clicks',
  'total_raw_clicks',
] as const;
/** What people did because of them, kept as it comes (entities/mailings/tally.ts). */
const ACTED = ['actions', 'new_users', 'unsubscribes', 'orders'] as const;
/** What came back: `bounces` are the hard ones. */
const RETURNED = ['bounces', 'bounces_all', 'complaints'] as const;
export const COUNTED = [...SENT, ...TRACKED, ...ACTED, ...RETURNED] as const;
/** Of orders that were not given back; `amount` adds up whatever currencies they were in. Decimals as texts. */
const AMOUNTS = ['amount', 'amount_converted'] as const;
/** Each per recipient, as a part of 1; more than 1 where people acted several times, or some opened theirs of whom nobody knows whether they got it. */
export const RATES = {
  open_rate: 'opens',
  click_rate: 'clicks',
  action_rate: 'actions',
  unsubscribe_rate: 'unsubscribes',
  bounce_rate: 'bounces',
  complaint_rate: 'complaints',
} as const satisfies Record<string, (typeof COUNTED)[number]>;

type Counted = Record<(typeof COUNTED)[number], number> & Record<(typeof AMOUNTS)[number], string>;
export type Statistics = Counted & Record<keyof typeof RATES, number>;
/** With how many of the actions were somebody's leaving. */
export type WithLeavings<Counts> = Counts & { leavings: number };

/**
 * What came of a mailing: totals, and the same by subject.
 * @param long for statements that may take their time
 * @throws NotFoundError
 */
export async function readResults(pool: Pool, id: number, long: Sql = sqlOn(pool)) {
  const { totals, subjects } = await readResultsWithLeavings(pool, id, long);
  const shown = <Counts extends object>({ leavings: _, ...counts }: WithLeavings<Counts>) => counts;
  return { mailing_id: id, totals: shown(totals), subjects: subjects.map(shown) };
}

/** The same, with how many of the actions were nothing but somebody's leaving. */
export async function readResultsWithLeavings(pool: Pool, id: number, long: Sql) {
  await mustExist(pool, id);
  const subjects = await readSubjects(long, id);
  const sum = (name: (typeof COUNTED)[number] | 'leavings') => subjects.reduce((total, subject) => total + subject[name], 0);
  const money = (name: (typeof AMOUNTS)[number]) => asCents(moneySum(subjects.map((subject) => new Big(subject[name]))));
  const totals = Object.fromEntries([
    ...[...COUNTED, 'leavings' as const].map((name) => [name, sum(name)]),
    ...AMOUNTS.map((name) => [name, money(name)]),
  ]) as WithLeavings<Counted>;
  return {
    totals: statistics(totals),
    subjects: subjects.map(({ subject_id, subject, ...counts }) => ({ subject_id, subject, ...statistics(inCents(counts)) })),
  };
}

/** Counts of what the log says of those it names. */
const NOTED = (['accepted', 'failed', 'skipped', 'uncertain'] as const)
  .map((state) => `count(*) filter (where state = ${LEDGER_STATE[state]})::int`)
  .join(', ');

// What the record says is counted already, by shard, and whom a shard is for; of shards under way the log is read, and of the set what no send has taken up yet.
// All in one statement: the numbers are of one moment. Opens, clicks, actions and bounces are counted as they come. A recipient's subject is the
// position modulo the number of subjects, as when it was sent; what came when there were more of them (of people who are to be mailed again, say) is counted all the same.
const BY_SUBJECT = `
  with subject as (select id, text, row_number() over (order by position, id) - 1 as place, count(*) over () as many
    from core_mailingsubject where mailing_id = $1),
  shard as (select shard from send_shard where mailing_id = $1 and not finished),
  sent as (
    select place % (select max(many) from subject) as place, sum(targeted)::int as targeted,
      sum(targeted - accepted - failed - skipped - uncertain)::int as pending, sum(accepted)::int as recipients, sum(failed)::int as failed,
      sum(skipped)::int as skipped, sum(uncertain)::int as uncertain
    from (
      select place, targeted, accepted, failed, skipped, uncertain from send_tally where mailing_id = $1
      union all
      select (position % (select max(many) from subject))::int, 0, count(*)::int, 0, 0, 0
      from send_log l join shard using (shard), unnest(l.accepted) as position where l.mailing_id = $1 group by 1
      union all
      select (position % (select max(many) from subject))::int, 0, ${NOTED}
      from send_said join shard using (shard) where mailing_id = $1 group by 1
      union all
      select ((b.first + n - 1) % (select max(many) from subject))::int, count(*)::int, 0, 0, 0, 0
      from send_set b, unnest(b.user_ids) with ordinality u (user_id, n)
      where b.mailing_id = $1 and b.first > coalesce((select max(to_position) from send_shard where mailing_id = $1), 0) and user_id <> 0 group by 1) tallied
    group by 1),
  came as (
    select place % (select max(many) from subject) as place, ${[...ACTED, 'leavings', ...RETURNED].map((name) => `sum(${name})::int as ${name}`).join(', ')},
      ${AMOUNTS.map((name) => `sum(${name}) as ${name}`).join(', ')}
    from core_mailingtally where mailing_id = $1 group by 1),
  tracked as (
    select place % (select max(many) from subject) as place, ${TRACKED.map((name) => `sum(${name})::int as ${name}`).join(', ')}
    from core_trackedtotal where mailing_id = $1 group by 1)
  select subject.id as subject_id, subject.text as subject, ${[...COUNTED, 'leavings'].map((name) => `coalesce(${name}, 0) as ${name}`).join(', ')},
    ${AMOUNTS.map((name) => `coalesce(${name}, 0)::text as ${name}`).join(', ')}
  from subject left join sent using (place) left join came using (place)
    left join tracked using (place) order by subject.place`;

const readSubjects = (sql: Sql, id: number) => sql<WithLeavings<{ subject_id: number; subject: string } & Counted>>(BY_SUBJECT, [id]);

/** Rounded at last: cents that were rounded before do not add up to those of the whole. */
const inCents = <Counts extends Counted>(counts: Counts): Counts => ({
  ...counts,
  ...(Object.fromEntries(AMOUNTS.map((name) => [name, asCents(new Big(counts[name]))])) as Record<(typeof AMOUNTS)[number], string>),
});

function statistics<Counts extends Counted>(counts: Counts): Counts & Statistics {
  const rates = Object.entries(RATES).map(([rate, name]) => [rate, counts.recipients ? counts[name] / counts.recipients : 0]);
  return { ...counts, ...(Object.fromEntries(rates) as Record<keyof typeof RATES, number>) };
}
