import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Fault, none, type Scene, signal } from './scene.ts';
import { WORKERS } from './stage.ts';

// Faults that strike before the first mail: in the transaction that freezes a mailing, and in the one that builds its set. They last milliseconds, so they are
// made to wait at a table; then they are struck, and the table is let go.

type Victim = 'workers' | 'postgres';

/** A moment: at the last of its tables, after it came to each of the others. */
type Moment = readonly string[];

const strikeAt = (moments: readonly Moment[], victim: Victim) => async (scene: Scene) => {
  const [first, ...more] = moments[Math.floor(scene.between(0, moments.length))]!;
  let holder = await hold(scene, first!);
  const queued = scene.queueMailing();
  await somebodyWaits(holder, first!);
  for (const table of more) {
    const next = await hold(scene, table);
    await holder.end();
    holder = next;
    await somebodyWaits(holder, table);
  }
  if (victim === 'postgres') signal(scene, 'postgres', 'SIGKILL');
  else for (const worker of WORKERS) signal(scene, worker, 'SIGKILL');
  await sleep(scene.between(0, 100));
  await holder.end().catch(() => {});
  await queued;
};

/** Ends with its connection. */
async function hold({ stage }: Scene, table: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: stage.databaseUrl });
  holder.on('error', () => {});
  await holder.connect();
  await holder.query(`begin; lock table ${table} in share mode`);
  return holder;
}

async function somebodyWaits(client: pg.Client, table: string): Promise<void> {
  for (const end = Date.now() + 90_000; Date.now() < end; await sleep(20)) {
    const { rowCount } = await client.query('select from pg_locks where relation = $1::regclass and not granted', [table]);
    if (rowCount) return;
  }
  throw new Error(`nobody came to ${table}`);
}

const FREEZING: Moment[] = [['send_run'], ['send_shard'], ['send_tally']];
/** When the job is written down, and when all there is left to do is to write it off. */
const BUILDING: Moment[] = [['core_mailingrebuild'], ['send_set', 'core_mailingrebuild']];

export const QUEUE_FAULTS: Readonly<Record<string, Fault>> = {
  'kill-workers-in-freeze': { uncertain: none, atQueue: true, strike: strikeAt(FREEZING, 'workers') },
  'kill-postgres-in-freeze': { uncertain: none, atQueue: true, strike: strikeAt(FREEZING, 'postgres') },
  'kill-workers-in-rebuild': { uncertain: none, atQueue: true, rebuildAtSend: true, strike: strikeAt(BUILDING, 'workers') },
  'kill-postgres-in-rebuild': { uncertain: none, atQueue: true, rebuildAtSend: true, strike: strikeAt(BUILDING, 'postgres') },
};
