import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureSchedules } from '../../activities/schedules.ts';
import { lookAtTemporal } from '../../api/health/temporal.ts';
import { readEnv } from '../../config/env.ts';
import { createNamespace } from '../support/temporal.ts';
import { type Frontend, startFrontend } from '../support/temporal-frontend.ts';

/** Longer than the client of Temporal waits before it tries again what was one too many. */
const RETRIED_MS = 3_000;
const DENIED = { code: 7, message: 'Request unauthorized.' };
const LIMITED = { code: 8, message: 'namespace rate limit exceeded' };

describe('npm run cli -- doctor, and the page on health, on a cluster that lets us ask for some of it', () => {
  let frontend: Frontend;
  let found: () => Promise<Record<string, string>>;

  before(async () => {
    const { address, namespace, client } = await createNamespace();
    frontend = await startFrontend(address);
    const env = readEnv({ TEMPORAL_ADDRESS: frontend.address, TEMPORAL_NAMESPACE: namespace });
    await ensureSchedules(client, env);
    found = async () =>
      Object.fromEntries((await lookAtTemporal(env)).map(({ part, state, says, todo }) => [part, `${state}: ${says}; ${todo}`]));
    // The list of schedules is a moment behind.
    while (!(await found())['schedules']?.startsWith('well')) await sleep(100);
  });
  afterEach(() => {
    frontend.refuse = () => null;
  });
  after(() => frontend.close());

  it('says of what it is not told, and why, and tells the rest', async () => {
    for (const [refusal, why] of [
      [DENIED, /^look: not known: Temporal does not let us ask \(Request unauthorized\.\); .*have our login be let ask$/],
      [LIMITED, /^look: not known: Temporal limits what it is asked \(namespace rate limit exceeded\); .*limit of the namespace raised$/],
    ] as const)
      for (const [refused, part, rest] of [
        ['DescribeTaskQueue', 'workers', { temporal: 'well', schedules: 'well' }],
        ['ListSchedules', 'schedules', { temporal: 'well', workers: 'wrong' }],
        ['ListWorkflowExecutions', 'runs', { temporal: 'well', workers: 'wrong' }],
      ] as const) {
        frontend.refuse = (call) => (call === refused ? refusal : null);
        const said = await found();
        match(said[part] ?? '', why, refused);
        deepEqual(Object.fromEntries(Object.keys(rest).map((name) => [name, said[name]?.split(':')[0]])), rest, refused);
      }
    for (const refusal of [DENIED, LIMITED]) {
      frontend.refuse = (call) => (call === 'DescribeNamespace' ? refusal : null);
      match((await found())['temporal']!, /^well/);
    }
  });

  it('ends nothing but itself: what the cluster limits is not tried again on a connection that is closed', async () => {
    const thrown: Error[] = [];
    const note = (error: Error) => void thrown.push(error);
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', note);
    try {
      frontend.refuse = (call) => (call === 'DescribeTaskQueue' ? LIMITED : null);
      await found();
      await sleep(RETRIED_MS);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of before) process.on('uncaughtException', listener);
    }
    deepEqual(thrown, []);
  });

  it('says of what goes away while it looks that it is away, not that its namespace is another', async () => {
    const todo = 'start it, or look at TEMPORAL_ADDRESS';
    const gone = { code: 14, message: 'Connection dropped' };
    frontend.refuse = (call) => (call === 'DescribeTaskQueue' ? gone : null);
    equal((await found())['workers'], `wrong: not known: Connection dropped; ${todo}`);
    for (const [code, why] of [
      [14, `: ${gone.message}`],
      [4, ' in time'],
    ] as const) {
      let asked = 0;
      frontend.refuse = () => (asked++ > 0 ? { ...gone, code } : null);
      equal((await found())['temporal'], `wrong: no answer from ${frontend.address}${why}; ${todo}`);
    }
  });

  it('says that it is refused, and by which settings', async () => {
    frontend.refuse = () => DENIED;
    equal(
      (await found())['temporal'],
      `wrong: ${frontend.address} refuses us (Request unauthorized.); look at TEMPORAL_API_KEY or TEMPORAL_TLS_CLIENT_CERT_PATH, and at what they may do in TEMPORAL_NAMESPACE`,
    );
  });
});
