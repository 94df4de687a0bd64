import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { inLongTransaction } from '../../db/transaction.ts';
import { growingPause } from '../../domain/backoff.ts';
import { rowName } from '../row-name.ts';
import type { Posted } from './post.ts';
import { AWAKE, WAKE } from './rest.ts';

// The one place that writes how far deliveries are.

/** After so long a delivery is not tried again. */
const GIVE_UP = '3 days';
/** Seconds. */
const PAUSE = { first: 10, most: 3600 };
/** What answers so says itself that it is so for good. */
const GONE = 410;

/** A delivery that is due. */
export interface DueDelivery {
  id: number;
  /** By which receivers know it again. */
  name: string;
  event: string;
  resource: string;
  resource_id: number;
  attempts: number;
  created_at: string;
  /** Seconds since the epoch, by the clock of the database: receivers refuse what is minutes off, as that of a worker may be. */
  now: number;
  /** The moment it was found due: what is due since is so anew, since somebody has had it tried again, say. */
  found: string;
}

export async function nextDue(pool: Pool, webhookId: number): Promise<DueDelivery | null> {
  const { rows } = await pool.query<DueDelivery>({
    name: 'webhook-due',
    text: `select id::float8 as id, ${rowName('d')} as name, event, resource, resource_id, attempts, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as created_at,
        floor(extract(epoch from clock_timestamp()))::float8 as now, clock_timestamp()::text as found
      from core_webhookdelivery d where webhook_id = $1 and status = 'pending' and next_at <= now() order by next_at, d.id limit 1`,
    values: [webhookId],
  });
  return rows[0] ?? null;
}

export async function recordDelivered(pool: Pool, id: number, { status }: Posted): Promise<void> {
  await pool.query(
    `update core_webhookdelivery set status = 'delivered', attempts = attempts + 1, last_status = $2, last_error = '', tried_at = now()
     where id = $1 and status = 'pending'`,
    [id, status],
  );
}

/**
 * It is tried again after a growing pause, for three days in all; not where the address says that it is gone.
 * @param version of the webhook as it was asked
 * @returns false where the webhook was changed meanwhile, or the delivery is over: then nothing is recorded
 */
export async function recordFailure(
  pool: Pool,
  { id, attempts, found }: DueDelivery,
  version: string,
  { status, error, waitSeconds }: Posted,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update core_webhookdelivery set attempts = attempts + 1, last_status = $2, last_error = $3, tried_at = now(),
       next_at = case when next_at > $6 then next_at else now() + make_interval(secs => $4) end,
       status = case when $2 = ${GONE} or asked_at < now() - interval '${GIVE_UP}' then 'failed' else status end
     where id = $1 and status = 'pending' and exists (select from core_webhook w where w.id = webhook_id and w.updated_at = $5)`,
    [id, status, error, Math.max(growingPause(attempts, PAUSE.first, PAUSE.most), Math.min(waitSeconds ?? 0, PAUSE.most)), version, found],
  );
  return rowCount === 1;
}

/**
 * Whoever does not answer is not asked for each of those that waited: all of them are put off as long as the one that was tried, and those that have
 * waited for too long are given up at once. One try for each of thousands would take days.
 */
export async function putOff(pool: Pool, webhookId: number, { id, found }: DueDelivery): Promise<void> {
  await inLongTransaction(pool, (sql) =>
    sql(
      `update core_webhookdelivery d set next_at = tried.next_at,
       status = case when d.asked_at < now() - interval '${GIVE_UP}' then 'failed' else d.status end,
       last_error = case when d.asked_at < now() - interval '${GIVE_UP}' then tried.last_error else d.last_error end
     from core_webhookdelivery tried
     where tried.id = $2 and d.webhook_id = $1 and d.status = 'pending' and d.next_at < tried.next_at and d.next_at <= $3`,
      [webhookId, id, found],
    ),
  );
}

/** Has a delivery that is over, or waits, tried again at once; what is over for three days once more. @param webhookId whose it has to be; @returns false when there is none */
export async function retryDelivery(sql: Sql, id: number, webhookId: number | null = null): Promise<boolean> {
  await sql(
    `update core_webhookdelivery set status = 'pending', next_at = now(), attempts = 0, asked_at = case when status = 'pending' then asked_at else now() end
     where id = $1 and ($2::int is null or webhook_id = $2) and status in ('pending', 'delivered', 'failed')`,
    [id, webhookId],
  );
  const [tried] = await sql<{ webhook: number }>(
    'select webhook_id as webhook from core_webhookdelivery where id = $1 and ($2::int is null or webhook_id = $2)',
    [id, webhookId],
  );
  if (!tried) return false;
  await sql(WAKE, [tried.webhook]);
  return true;
}

/** A pause that seems longer than the longest was begun before the clock of the database was set back: nothing waits until that is where it was. */
async function endLongPauses(pool: Pool): Promise<void> {
  await pool.query(
    `update core_webhookdelivery d set next_at = now() from core_webhook w
     where w.active and d.webhook_id = w.id and d.status = 'pending' and d.next_at > now() + make_interval(secs => ${PAUSE.most} + 60)`,
  );
}

/** Webhooks that have something due. Of more than a thousand any: the same would be the first each time, and those made after them have no turn. */
export async function webhooksDue(pool: Pool): Promise<number[]> {
  await endLongPauses(pool);
  const { rows } = await pool.query<{ id: number }>(
    `select id from core_webhook w where active and ${AWAKE} and exists (
       select from core_webhookdelivery d where d.webhook_id = w.id and d.status = 'pending' and d.next_at <= now()) order by random() limit 1000`,
  );
  return rows.map(({ id }) => id);
}

/** Deliveries one transaction takes away. */
const BATCH = 10_000;

/**
 * Takes some of the deliveries of a webhook away that is about to be deleted, the first there are behind the delivery `after`. With the webhook itself, whatever it is told of waited
 * for the last of them: an action writes a delivery, which holds its webhook.
 * @returns the last of them; null when the rest may go with the webhook
 */
export async function clearDeliveries(sql: Sql, webhookId: number, after: number): Promise<number | null> {
  const [gone] = await sql<{ many: number; last: number }>(
    `with first as materialized (select id from core_webhookdelivery where webhook_id = $1 and id > $2 order by id limit ${BATCH}),
       gone as (delete from core_webhookdelivery where id = any(array(select id from first)))
     select count(*)::int as many, max(id)::float8 as last from first`,
    [webhookId, after],
  );
  return gone!.many < BATCH ? null : gone!.last;
}
