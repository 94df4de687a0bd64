import type { Pool } from '../db/driver.ts';
import { inLongTransaction } from '../db/transaction.ts';
import type { CoreDeps } from './deps.ts';
import { reportFiles } from './reports/kept-report-files.ts';
import { keptResults, MAILS_WAIT } from './reports/report-task.ts';

const DAY_MS = 24 * 3600 * 1000;
/** A rate that nobody has drawn from for so long has nothing left that is paid for. */
const RATE_DAYS = 7;
/** Nobody writes to a result for so long: no report may run for more than three hours. */
const WRITTEN_DAYS = 1;
/** Rows one statement removes at most: whoever writes to the table meanwhile waits for one of them, not for all. */
const BATCH = 10_000;
/** What a round leaves the next one finds. */
const MOST_BATCHES = 500;

/** Removes results of reports, keys of pushes, refused ones, login tokens, files nobody imported, lines of imports that are gone, rates, lines of the audit log, keys of groups that were written, and events of tracking whose time is over. @param goesOn asked before each batch @returns how many of each */
export async function clearOld(
  { pool, env, log }: Pick<CoreDeps, 'pool' | 'env' | 'log'>,
  goesOn: () => boolean = () => true,
): Promise<Record<string, number>> {
  const batches = { pool, goesOn };
  const remove = (table: string, key: string, condition: string, age: number) => inBatches(batches, table, key, condition, age);
  const cleared = {
    tasks: await remove(
      'core_backgroundtask',
      'id',
      `status in ('completed', 'failed') and finished_at < now() - make_interval(days => $1) and not (${MAILS_WAIT})`,
      env.REPORT_FILE_DAYS,
    ),
    files: 0,
    pushKeys: await remove('push_key', 'key_digest', 'created_at < now() - make_interval(days => $1)', env.PUSH_KEY_DAYS),
    donationAttempts: await oldestOf(batches, 'core_donationattempt', env.DONATION_ATTEMPT_DAYS),
    results: await remove('report_cache', 'ctid', 'created_at < now() - make_interval(secs => $1)', env.REPORT_CACHE_SECONDS),
    loginTokens: await remove('core_logintoken', 'id', 'expires_at < now() - make_interval(days => $1)', 1),
    uploadDrafts: await remove('core_uploaddraft', 'id', 'created_at < now() - make_interval(days => $1)', 1),
    // Of uploads that went with their page. No key leads from one to the other, and lines name people.
    uploadBlocks: await removed(
      pool,
      'delete from core_uploadblock b where not exists (select from core_upload u where u.id = b.upload_id)',
    ),
    deliveries: await remove(
      'core_webhookdelivery',
      'id',
      `status <> 'pending' and created_at < now() - make_interval(days => $1)`,
      env.WEBHOOK_KEEP_DAYS,
    ),
    failures: await remove('auth_failure', 'ctid', 'until < now() - make_interval(secs => $1)', 0),
    rates: await remove('send_pace', 'ctid', 'slot < 4 * extract(epoch from now() - make_interval(days => $1))', RATE_DAYS),
    auditLog: env.AUDIT_LOG_DAYS
      ? await remove('core_auditlog', 'id', 'created_at < now() - make_interval(days => $1)', env.AUDIT_LOG_DAYS)
      : 0,
    // Nothing that was written waits for its answer so long.
    batches: await remove('written_batch', 'id', 'created_at < now() - make_interval(days => $1)', 1),
    opens: await oldestOf(batches, 'core_open', env.TRACKING_DAYS),
    clicks: await oldestOf(batches, 'core_click', env.TRACKING_DAYS),
  };
  // What an attempt that died left half written, and files whose task is gone. Not those of others: the clock of a machine that runs ahead says of all that they are old.
  const files = reportFiles({ env, pool });
  const now = Date.now();
  const listed = await files.list();
  // Asked after that, lest one be taken for a file without a task that has just been finished.
  const kept = await keptResults(pool);
  for (const { name, writtenAt } of listed) {
    if (!goesOn()) break;
    if (writtenAt.getTime() >= now - WRITTEN_DAYS * DAY_MS || kept.has(name)) continue;
    await files.remove(name);
    cleared.files++;
  }
  if (Object.values(cleared).some(Boolean)) log.info(cleared, 'cleared what is kept for a while only');
  return cleared;
}

interface Batches {
  pool: Pool;
  goesOn: () => boolean;
}

async function inBatches({ pool, goesOn }: Batches, table: string, key: string, condition: string, age: number): Promise<number> {
  const some = `select ${key} from ${table} where ${condition} limit ${BATCH}`;
  // Said twice: of a row that is waited for, what is said of it itself alone is looked at anew.
  return repeated(goesOn, () => removed(pool, `delete from ${table} where ${key} = any(array(${some})) and (${condition})`, [age]));
}

/** No index holds the times of these: they come in the order of their ids, and only the first of them are looked at. */
async function oldestOf({ pool, goesOn }: Batches, table: string, days: number): Promise<number> {
  if (days === 0) return 0;
  const first = `select id, created_at from ${table} order by id limit ${BATCH}`;
  const old = `select id from (${first}) first where created_at < now() - make_interval(days => $1)`;
  return repeated(goesOn, () => removed(pool, `delete from ${table} where id = any(array(${old}))`, [days]));
}

/** @returns how many rows a statement has removed */
const removed = (pool: Pool, statement: string, values: unknown[] = []): Promise<number> =>
  inLongTransaction(pool, async (_, client) => (await client.query(statement, values)).rowCount ?? 0);

async function repeated(goesOn: () => boolean, remove: () => Promise<number>): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MOST_BATCHES && goesOn(); batch++) {
    const some = await remove();
    removed += some;
    if (some < BATCH) break;
  }
  return removed;
}
