import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../../embedded/child.ts';
import type { ReplicatedPostgres } from '../../embedded/replicated-postgres.ts';
import type { Balancer } from './balancer.ts';
import { isReady } from './ready.ts';
import type { TemporalCluster } from './temporal-cluster.ts';

const NODE_AWAY_MS = 5_000;
/** Longer than a lease lasts: others take over what the worker has, and it finds that out when it is back. */
const CUT_OFF_MS = 20_000;
/** Longer than it takes until all have read it. */
const SHORT_LIFE_S = 15;
const NOTICED_WITHIN_MS = 60_000;
/** The proxy asks once a second. */
const SEEN_WITHIN_MS = 2_500;

/** What is struck. */
export interface Parts {
  postgres: ReplicatedPostgres;
  temporal: TemporalCluster;
  /** Before its nodes. */
  temporalDoor: Balancer;
  /** The last worker's own, to database and Temporal. */
  lines: Balancer[];
  apis: Child[];
  workers: Child[];
  startApi(n: number): Promise<Child>;
  startWorker(n: number): Promise<Child>;
  /** Everything in the database, into a folder. */
  backUp(): Promise<unknown>;
  /** host:port of each API. */
  places: readonly string[];
  /** Where the APIs say whether they are ready. */
  readyUrl: URL;
}

/** At which share of the mails what happens. Strikes at the same part wait for each other, others do not. */
export type Strike = [share: number, part: 'temporal' | 'postgres' | 'apis' | 'workers', what: string, strike: () => Promise<unknown>];

/** Each is told to end and started anew, one after the other. */
async function roll(processes: Child[], start: (n: number) => Promise<Child>): Promise<void> {
  for (const n of processes.keys()) {
    await processes[n]!.stop();
    processes[n] = await start(n);
  }
}

/** As whoever replaces processes does: the next one is told to end when this one is ready and the proxy has seen it. */
async function startReady({ startApi, places }: Parts, n: number): Promise<Child> {
  const api = await startApi(n);
  for (const giveUp = Date.now() + NOTICED_WITHIN_MS; Date.now() < giveUp && !(await isReady(places[n]!)); ) await sleep(100);
  await sleep(SEEN_WITHIN_MS);
  return api;
}

export const strikesAt = (parts: Parts): Strike[] => {
  const { postgres, temporal, temporalDoor, lines, apis, workers } = parts;
  return [
    [
      0.1,
      'temporal',
      'a Temporal node was killed, and came back',
      async () => {
        await temporal.kill(1);
        await sleep(NODE_AWAY_MS);
        await temporal.start(1);
      },
    ],
    [0.3, 'postgres', 'the primary was killed, and its standby took over', () => postgres.failOver()],
    [
      0.4,
      'workers',
      'a worker was cut off from database and Temporal, and let in again',
      () => Promise.all(lines.map((line) => line.cut(CUT_OFF_MS))),
    ],
    [0.5, 'apis', 'both APIs were restarted, one after the other', () => roll(apis, (n) => startReady(parts, n))],
    [0.55, 'postgres', 'a backup was made', () => parts.backUp()],
    [
      0.6,
      'temporal',
      'the certificate for Temporal ran out, every connection was lost, and another was put in its place',
      async () => {
        temporal.certify(SHORT_LIFE_S);
        await sleep((SHORT_LIFE_S + 1) * 1000);
        temporalDoor.turnOut();
        await says(parts.readyUrl, 'away');
        temporal.certify();
        await says(parts.readyUrl, 'ok');
      },
    ],
    [
      0.7,
      'workers',
      'every worker was told to end, and started anew, one after the other',
      () => roll(workers, (n) => parts.startWorker(n + 1)),
    ],
    [
      0.85,
      'workers',
      'a worker was killed, and started anew',
      async () => {
        process.kill(workers[1]!.pid, 'SIGKILL');
        await workers[1]!.exited;
        workers[1] = await parts.startWorker(2);
      },
    ],
  ];
};

/** Waits until the API says so of Temporal. @throws Error when it does not within a minute */
async function says(readyUrl: URL, state: 'ok' | 'away'): Promise<void> {
  const now = async () => ((await (await fetch(readyUrl)).json()) as { workflows?: string }).workflows;
  for (const giveUp = Date.now() + NOTICED_WITHIN_MS; (await now().catch(() => null)) !== state; await sleep(100))
    if (Date.now() > giveUp) throw new Error(`no API said of Temporal: ${state}`);
}
