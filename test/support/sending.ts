import type pg from 'pg';
import { audienceQuery } from '../../core/sending/audience.ts';
import { Shares } from '../../core/sending/shares.ts';
import type { SliceSetup } from '../../core/sending/slice-setup.ts';
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
  await pool.query(
    `insert into send_ledger (mailing_id, position, user_id)
      select $1, row_number() over (order by id), id from (select id from core_user order by id limit $2) u`,
    [mailingId, people],
  );
  await pool.query('insert into send_run (mailing_id, content, rate) values ($1, $2, $3)', [mailingId, '{}', rate]);
  await pool.query(
    `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to)
      select $1, n, n * $2 + 1, least($3, (n + 1) * $2), n * $2 from generate_series(0, ($3 - 1) / $2) n`,
    [mailingId, shardSize, people],
  );
  return mailingId;
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
      from send_ledger where mailing_id = $1 group by 1`,
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
  await pool.query('delete from send_shard where mailing_id = $1', [id]);
  await pool.query('delete from send_run where mailing_id = $1', [id]);
  await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'Hello')`, [id]);
  await pool.query(
    `update core_mailing set status = $2, scheduled_for = $3, mails_per_second = $4, custom_fromline = '"X" <x@example.org>' where id = $1`,
    [id, scheduledFor ? 'scheduled' : 'queued', scheduledFor ?? null, rate],
  );
  return id;
}
