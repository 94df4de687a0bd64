import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import pg from 'pg';
import { settleAbandoned } from '../../core/sending/shards.ts';

interface Order {
  databaseUrl: string;
  mailingId: number;
  over: Int32Array;
}

/**
 * Has this whole process stand still for longer than the leases of a mailing's shards last, while somebody else settles what it had on the wire, and stops
 * the mailing: when it wakes up, all that has happened.
 */
export async function sleepWhileStopped(databaseUrl: string, mailingId: number): Promise<void> {
  const over = new Int32Array(new SharedArrayBuffer(4));
  const other = new Worker(new URL(import.meta.url), { workerData: { databaseUrl, mailingId, over } satisfies Order, execArgv: [] });
  const failed = new Promise<never>((_, reject) => other.once('error', reject));
  await Promise.race([failed, new Promise((ready) => other.once('message', ready))]);
  if (Atomics.wait(over, 0, 0, 30_000) === 'timed-out') await failed;
}

async function stopMeanwhile({ databaseUrl, mailingId, over }: Order): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  await pool.query('select 1');
  parentPort!.postMessage('ready');
  for (let waitMs = 1; waitMs > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = await settleAbandoned(pool, mailingId);
  }
  await pool.query(`update core_mailing set status = 'stopped' where id = $1`, [mailingId]);
  Atomics.store(over, 0, 1);
  Atomics.notify(over, 0);
  await pool.end();
}

if (!isMainThread) await stopMeanwhile(workerData);
