import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Env } from '../config/env.ts';
import { type Child, logTail, startChild } from './child.ts';

/** What the platform's own programs (bin/) are run with. */
export interface Program {
  env: NodeJS.ProcessEnv;
  logFolder: string;
  args?: string[];
  /** How long it may take to end, in milliseconds. */
  graceMs?: number;
  /** The folder of another release, whose program it is. */
  root?: string;
}

const ROOT = join(import.meta.dirname, '..');
/** Where Node keeps what it has compiled: a program is up in half the time. */
export const COMPILED = join(ROOT, 'node_modules/.cache/compiled');
const START_LIMIT_MS = 60_000;
/** The level of pino. */
const FATAL = 60;
/**
 * A worker makes garbage at a great rate and keeps little: without limits V8 takes 100 MB more for no gain. Nor may it take some of that for lasting, which it does in
 * nearly every second process and then stays with: each mail is copied twice before it is garbage, and a quarter of the speed is gone. Nor does it collect on several threads: they take the
 * processor from the database and the relay. The same stands in package.json, the compose file
 * and the chart.
 */
const WORKER_FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=512', '--no-allocation-site-pretenuring', '--no-parallel-scavenge'];
/** Temporal's library allocates on many threads: with an arena for each, glibc keeps 15 MB more for no gain. The same stands in package.json and the Dockerfile. */
const WORKER_ENV = { MALLOC_ARENA_MAX: '2' };

const start = (name: string, log: string, { env, args = [], graceMs, root = ROOT }: Program): Promise<Child> =>
  startChild({
    command: process.execPath,
    args: [...(name === 'worker' ? WORKER_FLAGS : []), join(root, 'bin', `${name}.ts`), ...args],
    logFile: log,
    stopSignal: 'SIGTERM',
    ...(graceMs !== undefined && { graceMs }),
    env: { NODE_COMPILE_CACHE: COMPILED, ...(name === 'worker' && WORKER_ENV), ...env },
  });

/** Above what a program that is told to end takes by its settings: for what it records and closes then. */
const MORE_MS = 20_000;
/** A mail that is not written so long after a worker was told to end is put back. */
const WRITTEN_WITHIN_MS = 5_000;

/** How long an API or a worker may take to end, in milliseconds: killed sooner, a worker leaves those uncertain whose mail the relay has not answered yet. */
export const longestEndMs = (env: Pick<Env, 'API_DRAIN_SECONDS' | 'SHUTDOWN_GRACE_SECONDS' | 'SMTP_TIMEOUT_MS'>): number =>
  MORE_MS + Math.max(1000 * env.API_DRAIN_SECONDS, 1000 * env.SHUTDOWN_GRACE_SECONDS, WRITTEN_WITHIN_MS + env.SMTP_TIMEOUT_MS);

/** Runs a program to its end. @throws Error with the last lines of its log when it fails */
export async function runProgram(name: string, program: Program): Promise<void> {
  const log = join(program.logFolder, `${name}.log`);
  const child = await start(name, log, program);
  const how = await child.exited;
  if (how !== 'code 0') throw new Error(`${name} failed (${how}):\n${logTail(log)}`);
}

/** @returns when the API answers at `url` */
export async function startApiProcess(program: Program, url: string): Promise<Child> {
  const log = join(program.logFolder, 'api.log');
  const child = await start('api', log, program);
  await isUp(child, log, async () => (await fetch(`${url}/health/live`)).ok);
  return child;
}

/**
 * `exited` says why, too, where it refuses a setting, say: it is started again and again then.
 * @param n number of the worker, for its log; the first alone has the port for bounces, which only one can have
 */
export async function startWorkerProcess(program: Program, n: number): Promise<Child> {
  const { WORKER_METRICS: metrics, WORKER_HEALTH: health, BOUNCE_PORT: bounces } = program.env;
  const nth = (place: string) => place.replace(/\d+$/, (port) => `${Number(port) + n - 1}`);
  const own = {
    ...program,
    env: {
      ...program.env,
      ...(metrics && { WORKER_METRICS: nth(metrics) }),
      ...(health && { WORKER_HEALTH: nth(health) }),
      ...(bounces && { BOUNCE_PORT: n === 1 ? bounces : '' }),
    },
  };
  const log = join(program.logFolder, `worker-${n}.log`);
  const worker = await start('worker', log, own);
  return { ...worker, exited: worker.exited.then((how) => (how === 'code 1' ? [how, whyEnded(log)].filter(Boolean).join(': ') : how)) };
}

/** The sentence a program of ours ends with (bin/lifetime.ts): bare, or in a line of its log as fatal. Nothing of one that Node itself ended. */
function whyEnded(log: string): string {
  const line = logTail(log, 1);
  if (!line.startsWith('{')) return line.startsWith('Node.js v') ? '' : line;
  try {
    const { level, msg } = JSON.parse(line) as { level?: number; msg?: string };
    return level === FATAL ? (msg ?? '') : '';
  } catch {
    // Cut short: the disk is full, say.
    return '';
  }
}

async function isUp(child: Child, log: string, answers: () => Promise<boolean>): Promise<void> {
  let ended = '';
  void child.exited.then((how) => {
    ended = how;
  });
  for (const giveUp = Date.now() + START_LIMIT_MS; ; await sleep(50)) {
    if (await answers().catch(() => false)) return;
    if (!ended && Date.now() < giveUp) continue;
    if (!ended) await child.stop();
    throw new Error(`A program did not come up (${ended || 'no answer'}):\n${logTail(log)}`);
  }
}
