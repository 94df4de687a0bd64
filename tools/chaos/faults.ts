// Long: a list of the faults there are.

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { SinkRule } from '../../embedded/sink/rules.ts';
import { CHUNK_FAULTS } from './chunk-faults.ts';
import { PEOPLE_FAULTS } from './people-faults.ts';
import type { Trouble } from './proxy.ts';
import { QUEUE_FAULTS } from './queue-faults.ts';
import { ASKED_LASTS, type Fault, none, type Scene, signal, stops, wakeGivenUp, whileAsked, windows } from './scene.ts';
import type { Part, Stage, WireName, WorkerName } from './stage.ts';

/** Longer than lease and heartbeat timeout: by then others have taken over, and whoever wakes up is a zombie. */
const LONG_PAUSE_MS = 5_500;

const kill = (part: 'worker' | Part, uncertain: Fault['uncertain']): Fault => ({
  uncertain,
  async strike(scene) {
    signal(scene, part === 'worker' ? scene.worker : part, 'SIGKILL');
  },
});

const pause = (part: Part, from: number, to: number, uncertain: Fault['uncertain']): Fault => ({
  uncertain,
  async strike(scene) {
    signal(scene, part, 'SIGSTOP');
    await sleep(scene.between(from, to));
    signal(scene, part, 'SIGCONT');
  },
});

const cutWorker = (
  to: 'relay' | 'postgres' | 'temporal',
  trouble: Trouble,
  [from, most]: [from: number, to: number],
  uncertain: Fault['uncertain'],
): Fault => ({
  uncertain,
  async strike({ stage, workers, between }) {
    const cut = workers.map((worker) => stage.wires[`${worker}-${to}`]);
    for (const wire of cut) wire.set(trouble);
    await sleep(between(from, most));
    for (const wire of cut) wire.set('none');
  },
});

/** Trouble of the API, while it is asked to stop the mailing. */
const ofApi = (strike: Fault['strike']): Fault => ({ uncertain: none, lasts: ASKED_LASTS, until: 0.2, strike });

const cutApi = (to: 'postgres' | 'temporal', trouble: Trouble): Fault =>
  ofApi(async (scene) => {
    const wire = scene.stage.wires[`api-${to}` satisfies WireName];
    await whileAsked(
      scene,
      () => wire.set(trouble),
      scene.between(1_500, 3_000),
      () => wire.set('none'),
    );
  });

/** @param mails so many may be uncertain: one for each connection lost, since by DATA there is only one on it */
const relay = (rules: SinkRule[], ms: number, mails = 0): Fault => ({
  uncertain: { mails },
  ...(mails > 0 && { chunking: false }),
  async strike({ stage: { sink } }) {
    sink.setRules(rules);
    await sleep(ms);
    sink.setRules([]);
  },
});

/** Slowly, and early: whoever goes faster than its rate because of a clock is then found to have done so. */
const slowly = { lasts: ASKED_LASTS, until: 0.3 };

const turn = (hours: readonly number[]): Fault => ({
  uncertain: none,
  ...slowly,
  async strike({ stage, workers, between }) {
    for (const most of hours) {
      for (const worker of workers) stage.turnClock(worker, Math.round(most * between(0, 3600)));
      await sleep(between(300, 900));
    }
    // Then it is set right, which is one more jump.
    await sleep(4_000);
    for (const worker of workers) stage.turnClock(worker, 0);
  },
});

/** The same of the database's clock, by which leases, pauses and rates are kept. */
const turnDatabase = (hours: readonly number[]): Fault => ({
  uncertain: none,
  // Set right in the end, too.
  forwardTurns: [...hours, 0].filter((each, n) => each > (hours[n - 1] ?? 0)).length,
  ...slowly,
  async strike({ stage, between }) {
    for (const most of hours) {
      await stage.turnDatabaseClock(Math.round(most * between(1800, 3600)));
      await sleep(between(100, 600));
    }
    await sleep(300);
    await stage.turnDatabaseClock(0);
  },
});

/** Trouble while the mailing is being stopped, and then queued again. */
const whileStopped = (
  ms: number,
  uncertain: Fault['uncertain'],
  begin: (scene: Scene) => void,
  end: (scene: Scene) => void = () => {},
): Fault => ({
  uncertain,
  strike: (scene) =>
    whileAsked(
      scene,
      () => begin(scene),
      ms,
      () => end(scene),
    ),
});

const setWires = (stage: Stage, workers: WorkerName[], trouble: Trouble) => {
  for (const worker of workers) stage.wires[`${worker}-postgres`].set(trouble);
};

const EVERY_SEVENTH = '7@example\\.org$';
const both = { windows: 2 };

/** Every kind of trouble, by name; `calm` is none, by which the others are measured. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  calm: { uncertain: none, async strike() {} },
  'kill-worker': kill('worker', windows(1)),
  'kill-postgres': kill('postgres', both),
  'kill-temporal': kill('temporal', none),
  // Struck when it has just been asked, or right before: then the mailing goes on without it until it is back.
  'kill-api': ofApi((scene) => {
    const before = scene.between(0, 1) < 0.5;
    const strike = () => signal(scene, 'api', 'SIGKILL');
    return whileAsked(scene, before ? strike : () => {}, scene.between(0, 60), before ? () => {} : strike);
  }),
  'stop-worker': {
    uncertain: none,
    async strike(scene) {
      signal(scene, scene.worker, 'SIGTERM');
    },
  },
  'pause-worker': {
    uncertain: windows(1),
    async strike(scene) {
      signal(scene, scene.worker, 'SIGSTOP');
      await sleep(scene.between(LONG_PAUSE_MS, LONG_PAUSE_MS + 1_000));
      await wakeGivenUp(scene, scene.worker);
    },
  },
  // Longer than a turn is waited for, and mostly not so long that whoever waits gives its shard up.
  'pause-postgres': pause('postgres', 3_100, 5_500, both),
  'pause-temporal': pause('temporal', 500, 5_000, none),
  'pause-api': ofApi((scene) =>
    whileAsked(
      scene,
      () => signal(scene, 'api', 'SIGSTOP'),
      scene.between(2_500, 4_000),
      () => signal(scene, 'api', 'SIGCONT'),
    ),
  ),
  'worker-relay-reset': cutWorker('relay', 'reset', [500, 2_000], both),
  'worker-relay-drop': cutWorker('relay', 'drop', [2_500, 6_000], both),
  'worker-relay-delay': cutWorker('relay', { delayMs: 700 }, [500, 2_000], none),
  'worker-postgres-reset': cutWorker('postgres', 'reset', [500, 5_000], both),
  'worker-postgres-drop': cutWorker('postgres', 'drop', [2_500, 6_000], both),
  'worker-postgres-delay': cutWorker('postgres', { delayMs: 700 }, [500, 2_000], none),
  'worker-temporal-reset': cutWorker('temporal', 'reset', [500, 5_000], none),
  'worker-temporal-drop': cutWorker('temporal', 'drop', [500, 5_000], none),
  'worker-temporal-delay': cutWorker('temporal', { delayMs: 1_200 }, [4_000, 6_000], none),
  'api-postgres-reset': cutApi('postgres', 'reset'),
  'api-postgres-drop': cutApi('postgres', 'drop'),
  'api-postgres-delay': cutApi('postgres', { delayMs: 700 }),
  'api-temporal-reset': cutApi('temporal', 'reset'),
  'api-temporal-drop': cutApi('temporal', 'drop'),
  'api-temporal-delay': cutApi('temporal', { delayMs: 700 }),
  'relay-full': {
    uncertain: both,
    async strike({ stage: { sink }, between }) {
      const most = 6;
      sink.setLimit(most);
      sink.dropConnections();
      const hogs: Socket[] = [];
      for (let n = 0; n < most; n++) hogs.push(connect(sink.port, sink.host).on('error', () => {}));
      await sleep(between(300, 1_500));
      for (const hog of hogs) hog.destroy();
      sink.setLimit(null);
    },
  },
  'postgres-full': { uncertain: both, strike: fillPostgres },
  'clock-ahead': turn([48]),
  'clock-behind': turn([-48]),
  'clock-jumps': turn([5, -30, 1, -1]),
  'database-clock-ahead': turnDatabase([48]),
  'database-clock-behind': turnDatabase([-48]),
  'database-clock-jumps': turnDatabase([5, -30, 1, -1]),
  'relay-drops': {
    uncertain: both,
    async strike({ stage: { sink } }) {
      sink.dropConnections();
    },
  },
  'relay-421': relay([{ at: 'mail', reply: '421 4.3.2 closing', next: 'close' }], 400),
  'relay-421-at-end': relay([{ at: 'message', reply: '421 4.3.2 closing', next: 'close', times: 10 }], 400),
  'relay-450': relay([{ at: 'rcpt', reply: '450 4.2.0 later', times: 40 }], 500),
  'relay-452-at-end': relay([{ at: 'message', reply: '452 4.3.1 full', times: 40 }], 500),
  'relay-550': relay([{ at: 'rcpt', match: EVERY_SEVENTH, reply: '550 5.1.1 nobody' }], 700),
  'relay-554-at-end': relay([{ at: 'message', match: EVERY_SEVENTH, reply: '554 5.7.1 no' }], 700),
  'relay-garbage': relay([{ at: 'message', reply: '\u0000\u0001 what?', next: 'close', times: 4 }], 500, 4),
  'relay-half-a-line': relay([{ at: 'message', reply: '250 2.0.0 ta', half: true, keep: true, next: 'close', times: 6 }], 500, 6),
  'relay-silent': relay([{ at: 'message', next: 'stall', times: 4 }], 500, 4),
  'relay-closes-before-dot': relay([{ at: 'content', next: 'close', times: 8 }], 500, 8),
  'relay-closes-after-dot': relay([{ at: 'message', next: 'close', times: 8 }], 500, 8),
  'relay-takes-and-closes': relay([{ at: 'message', next: 'close', keep: true, times: 8 }], 500, 8),
  'stop-and-kill-worker': whileStopped(0, windows(1), (scene) => signal(scene, scene.worker, 'SIGKILL')),
  'stop-and-kill-postgres': whileStopped(0, both, (scene) => signal(scene, 'postgres', 'SIGKILL')),
  'stop-and-pause-worker': {
    uncertain: windows(1),
    // It wakes when the mailing has been stopped, and who was on its wire is uncertain.
    async strike(scene) {
      signal(scene, scene.worker, 'SIGSTOP');
      const asked = scene.stopMailing();
      await sleep(LONG_PAUSE_MS);
      await asked;
      await stops(scene);
      await wakeGivenUp(scene, scene.worker);
      await scene.queueMailing();
    },
  },
  'stop-and-postgres-reset': whileStopped(
    2_000,
    both,
    ({ stage, workers }) => setWires(stage, workers, 'reset'),
    ({ stage, workers }) => setWires(stage, workers, 'none'),
  ),
  ...CHUNK_FAULTS,
  ...QUEUE_FAULTS,
  ...PEOPLE_FAULTS,
};

/** Takes every connection the server will give, those of the workers too, and keeps them for a while. */
async function fillPostgres({ stage, workers, between }: Scene): Promise<void> {
  const hogs: pg.Client[] = [];
  let going = true;
  const hog = async () => {
    while (going) {
      const client = new pg.Client({ connectionString: stage.databaseUrl });
      client.on('error', () => {});
      try {
        await client.connect();
        hogs.push(client);
      } catch {
        await sleep(5);
      }
    }
  };
  const hogging = Array.from({ length: 8 }, hog);
  await sleep(300);
  for (const worker of workers) stage.wires[`${worker}-postgres`].set('reset');
  await sleep(100);
  for (const worker of workers) stage.wires[`${worker}-postgres`].set('none');
  await sleep(between(300, 3_500));
  going = false;
  await Promise.all(hogging);
  await Promise.all(hogs.map((client) => client.end().catch(() => {})));
}
