import type pg from 'pg';
import { audienceQuery } from '../../core/sending/audience.ts';
import { edit } from '../../core/sending/edits.ts';
import { RECORD_EPOCH } from '../../core/sending/end-pass.ts';
import { Shares } from '../../core/sending/shares.ts';
import type { SliceSetup } from '../../core/sending/slice-setup.ts';
import { tallyAnew } from '../../core/sending/tally.ts';
import { sqlOn } from '../../db/sql.ts';
import type { CompiledMailing, Mail, Outcome, Recipient, Relay } from '../../mail/contracts.ts';

/** People on one list, and a mailing with all of them in its saved set, positions 1 to n, cut into shards of `shardSize`. */
export async function seedMailing(pool: pg.Pool, people: number, { shardSize = 100, rate = null as number | null } = {}): Promise<number> {
  await pool.query(`insert into core_list (name) values ('everyone') on conflict do nothing`);
  await pool.query(
    `insert into core_user (email, first_name, state, subscription_status)
      select 'person' || g || '@example.org', 'P' || g, 'CA', 'subscribed' from generate_series(1, $1) g on conflict do nothing`,
    [people],
  );
  await pool.query(
    `insert into core_subscription (user_id, list_id) select u.id, l.id from core_user u, core_list l on conflict do nothing`,
  );
  const { rows } = await pool.query(
    `insert into core_mailing (html, status, query_status, targeting_version_saved) values ('<p>Hi</p>', 'sending', 'saved', 1) returning id`,
  );
  const mailingId: number = rows[0].id;
  const users = await pool.query('select id from core_user order by id limit $1', [people]);
  await putInSet(
    pool,
    mailingId,
    users.rows.map(({ id }) => id),
  );
  await pool.query('insert into send_run (mailing_id, content, rate) values ($1, $2, $3)', [mailingId, '{}', rate]);
  await pool.query(
    `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to)
      select $1, n, n * $2 + 1, least($3, (n + 1) * $2), n * $2 from generate_series(0, ($3 - 1) / $2) n`,
    [mailingId, shardSize, people],
  );
  await tallyAnew(sqlOn(pool), mailingId);
  return mailingId;
}

type Db = pg.Pool | pg.PoolClient;

/** Puts people into the set of a mailing, from a position on. */
export async function putInSet(pool: Db, mailingId: number, userIds: number[], first = 1): Promise<void> {
  await pool.query(
    `insert into send_set (mailing_id, first, least_user, most_user, user_ids)
     select $1, $2 + min(n) - 1, min(u), max(u), array_agg(u order by n) from unnest($3::int[]) with ordinality as p (u, n) group by (n - 1) / 1000`,
    [mailingId, first, userIds],
  );
}

/** What has become of somebody at a position, by LEDGER_STATE. */
export interface Became {
  position: number;
  state: number;
  detail?: string | null;
  at?: Date | string;
}

/**
 * Has become of recipients what a test wants: in the log where a shard is under way, else in the record, whether shards cover them or not.
 * @param recorded in the record in any case, as of shards that are finished
 */
export async function become(pool: Db, mailingId: number, people: Became[], { recorded = false } = {}): Promise<void> {
  for (const { position, state, detail = null, at = new Date() } of people) {
    const { rows } = await pool.query(
      `select user_id, shard, coalesce(not finished, false) as open
       from (
         select user_id from send_accepted where mailing_id = $1 and position = $2
         union all select user_id from send_exception where mailing_id = $1 and position = $2
         union all select user_ids[$2::int - first + 1] from send_set
           where mailing_id = $1 and first <= $2 and first + cardinality(user_ids) > $2 and user_ids[$2::int - first + 1] <> 0) p
       left join send_shard s on s.mailing_id = $1 and $2 between s.from_position and s.to_position`,
      [mailingId, position],
    );
    const { user_id: user, shard, open } = rows[0];
    if (open && !recorded) {
      await edit(sqlOn(pool), { mailing_id: mailingId, shard }, [{ position, state, detail }]);
      const last = 'select seq from send_shard where mailing_id = $1 and shard = $2';
      await pool.query(`update send_log set at = $3 where mailing_id = $1 and shard = $2 and seq = (${last})`, [mailingId, shard, at]);
      continue;
    }
    await pool.query('delete from send_accepted where mailing_id = $1 and position = $2', [mailingId, position]);
    await pool.query('delete from send_exception where mailing_id = $1 and position = $2', [mailingId, position]);
    await pool.query(
      'update send_set set user_ids[$2::int - first + 1] = $3 where mailing_id = $1 and first <= $2 and first + cardinality(user_ids) > $2',
      [mailingId, position, state < 2 ? user : 0],
    );
    if (state === 2 && detail === null) {
      await pool.query('insert into send_accepted values ($1, $2, $3, (extract(epoch from $4::timestamptz) - 1577836800)::int)', [
        user,
        mailingId,
        position,
        at,
      ]);
    } else if (state >= 2) {
      await pool.query('insert into send_exception values ($1, $2, $3, $4, $5, $6, $7)', [
        mailingId,
        position,
        user,
        shard ?? 0,
        state,
        at,
        detail,
      ]);
    }
  }
  await timeAnew(pool, mailingId);
}

/** When the mails of the record were accepted, as it is counted when shards are finished. */
async function timeAnew(pool: Db, mailingId: number): Promise<void> {
  await pool.query('delete from send_timeline where mailing_id = $1', [mailingId]);
  await pool.query(
    `insert into send_timeline (mailing_id, shard, at, accepted)
     select $1, coalesce(shard, 0), to_timestamp(${RECORD_EPOCH} + sent_second::float8), count(*)
     from send_accepted a left join send_shard s on s.mailing_id = $1 and a.position between from_position and to_position
     where a.mailing_id = $1 group by 2, 3`,
    [mailingId],
  );
}

const COUNTERS = [null, null, 'accepted', 'failed', 'skipped', 'uncertain'];

/** Puts somebody into a mailing of whom something has become already, in the record; into a finished shard of their own. */
export async function record(pool: Db, mailingId: number, userId: number, became: Became): Promise<void> {
  await putInSet(pool, mailingId, [userId], became.position);
  await become(pool, mailingId, [became], { recorded: true });
  await pool.query(
    `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished, ${COUNTERS[became.state]})
     select $1, $2, $2, $2, $2, true, 1
     where not exists (select from send_shard where mailing_id = $1 and $2 between from_position and to_position)`,
    [mailingId, became.position],
  );
}

/** Tallies as they are when shards are finished, or cut. */
export async function tally(pool: Db, mailingId: number): Promise<void> {
  await pool.query(
    `insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
     select $1, shard, 0, 0, 1, 0, 0, 0 from send_shard where mailing_id = $1 on conflict (mailing_id, shard, place) do update set accepted = 1`,
    [mailingId],
  );
  const { rows } = await pool.query('select shard from send_shard where mailing_id = $1', [mailingId]);
  await tallyAnew(
    sqlOn(pool),
    mailingId,
    rows.map(({ shard }) => shard),
  );
}

/** A mailing whose every mail says only whom it is for. */
export const plainMail: CompiledMailing = {
  userColumns: ['first_name'],
  needsFields: false,
  render: (recipient: Recipient): Mail => ({ envelopeFrom: 'bounce@example.org', envelopeTo: recipient.email, message: '' }),
  renderProof: (_recipient: Recipient, to: string): Mail => ({ envelopeFrom: 'bounce@example.org', envelopeTo: to, message: '' }),
};

/** The part of a slice in what all slices of a process share. */
export const windowIn = (shares: Shares, mailingId: number, relay: Relay) =>
  shares.window(shares.begin(mailingId), () => relay.connections);

/** A slice of a mailing as a test wants it. */
export const sliceSetup = (pool: pg.Pool, mailingId: number, relay: Relay, more: Partial<SliceSetup> = {}): SliceSetup => ({
  mailingId,
  run: null,
  pool,
  relay,
  mail: plainMail,
  audience: audienceQuery(plainMail, false),
  lists: null,
  rate: null,
  domains: null,
  window: windowIn(new Shares(), mailingId, relay),
  seconds: 10,
  leaseSeconds: 10,
  tries: 3,
  refusedInARow: 60,
  refusals: { inARow: 0 },
  retrySeconds: 0,
  stop: new AbortController().signal,
  ...more,
});

/** A relay whose answers a test scripts; for faults a real one cannot be made to show at the right moment. */
export class ScriptedRelay implements Relay {
  readonly connections: number;
  /** Every address a message was written for, in order. */
  readonly written: string[] = [];
  private calls = 0;
  answer: (mail: Mail, nth: number) => Outcome | Promise<Outcome> = () => ({ kind: 'accepted', reply: '250 ok' });

  constructor(connections = 4) {
    this.connections = connections;
  }

  async send(mail: Mail, mayWrite: () => boolean = () => true): Promise<Outcome> {
    await new Promise((resolve) => setImmediate(resolve));
    if (!mayWrite()) return { kind: 'unsent', reply: 'given up', relay: 'given-up' };
    const outcome = await this.answer(mail, ++this.calls);
    if (outcome.kind !== 'unsent') this.written.push(mail.envelopeTo);
    return outcome;
  }

  async close(): Promise<void> {}
}

/** How many rows of a mailing's ledger stand in which state, by name; states nobody is in are left out. */
export async function ledgerStates(pool: pg.Pool, mailingId: number): Promise<Record<string, number>> {
  const { rows } = await pool.query(
    `select (array['pending', 'sending', 'accepted', 'failed', 'skipped', 'uncertain'])[state + 1] as state, count(*)::int as n
      from send_record where mailing_id = $1 group by 1`,
    [mailingId],
  );
  return Object.fromEntries(rows.map((row) => [row.state, row.n]));
}

/** The counters kept on the shards, summed. */
export async function shardCounters(pool: pg.Pool, mailingId: number): Promise<Record<string, number>> {
  const { rows } = await pool.query(
    `select sum(accepted)::int as accepted, sum(failed)::int as failed, sum(skipped)::int as skipped, sum(uncertain)::int as uncertain,
      count(*) filter (where not finished)::int as unfinished from send_shard where mailing_id = $1`,
    [mailingId],
  );
  return rows[0];
}

/** A mailing with `people` in its saved set, ready for its workflow: queued, or scheduled when it has a time. */
export async function queueMailing(
  pool: pg.Pool,
  people: number,
  { rate = null, scheduledFor }: { rate?: number | null; scheduledFor?: Date } = {},
): Promise<number> {
  const id = await seedMailing(pool, people);
  await pool.query('delete from send_tally where mailing_id = $1', [id]);
  await pool.query('delete from send_shard where mailing_id = $1', [id]);
  await pool.query('delete from send_run where mailing_id = $1', [id]);
  await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'Hello')`, [id]);
  await pool.query(
    `update core_mailing set status = $2, scheduled_for = $3, mails_per_second = $4, custom_fromline = '"X" <x@example.org>' where id = $1`,
    [id, scheduledFor ? 'scheduled' : 'queued', scheduledFor ?? null, rate],
  );
  return id;
}
