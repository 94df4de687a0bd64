import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readEnv } from '../config/env.ts';
import { ensureFirstSuperuser } from '../core/accounts/first-superuser.ts';
import { ensureReportRole } from '../core/reports/report-role.ts';
import { createPool } from '../db/pool.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { connectOrm } from '../entities/orm.ts';
import { type HostileInput, hostileInputs } from './support/hostile-inputs.ts';
import { descendants, peakMemory } from './support/process-cost.ts';
import { WatchedApi } from './support/watched-api.ts';

/** No request of a caller may keep the others waiting longer. */
export const LONGEST_HOLD_MS = 100;

/**
 * Adversarial requests to a real API process, one after another: how long each held its event loop, and the most memory the API and PostgreSQL took.
 * Ends with 1 when one held it over 100 ms of processor time, or was answered 500.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({ args, options: { only: { type: 'string', default: '' } } });
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-bench-'));
  const postgres = await startPostgres({ dataDir });
  const env = readEnv({ DATABASE_URL: postgres.url, DATA_DIR: dataDir, ...WatchedApi.admin });
  const orm = await connectOrm(env as never);
  await orm.migrator.up();
  await ensureFirstSuperuser(orm, env);
  await orm.close(true);
  const pool = createPool(postgres.url, 1);
  await ensureReportRole(pool, env);
  await pool.end();
  const api = await WatchedApi.start({ DATABASE_URL: postgres.url, DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: '0' });
  const admin = `Basic ${Buffer.from(`${env.ADMIN_USERNAME}:${env.ADMIN_PASSWORD}`).toString('base64')}`;
  const inputs = hostileInputs(admin).filter(({ name }) => name.includes(values.only));
  let databaseMb = 0;
  const watch = setInterval(() => {
    databaseMb = Math.max(databaseMb, megabytes(ownMemory(descendants([api.pid]))));
  }, 100);
  try {
    const results = await attack(api, inputs, (result) => console.log(lineOf(result)));
    const bad = results.filter(isBad);
    const [longest] = results.toSorted((a, b) => b.cpuMs - a.cpuMs);
    const [largest] = results.toSorted((a, b) => b.grewMb - a.grewMb);
    const apiMb = megabytes(peakMemory(api.pid));
    console.log(`\nthe ten longest holds of the API's event loop, most of its own processor time first`);
    for (const result of results.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, 10)) console.log(lineOf(result));
    console.log(
      `${results.length} inputs; the longest hold: ${longest?.cpuMs} ms (${longest?.name}); at most ${LONGEST_HOLD_MS} ms is right`,
    );
    console.log(
      `most memory: API ${apiMb} MB (it grew most, by ${largest?.grewMb} MB, with ${largest?.name}), PostgreSQL ${databaseMb} MB in all its processes`,
    );
    if (bad.length) process.exitCode = 1;
    return { inputs: results.length, longestHoldMs: longest?.cpuMs, of: longest?.name, apiMb, databaseMb, bad, results };
  } finally {
    clearInterval(watch);
    await api.stop();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What came of one input. */
export interface Attacked {
  name: string;
  status: number;
  /** The longest hold: milliseconds of the thread's own processor time, and by the clock. */
  cpuMs: number;
  wallMs: number;
  /** Until it was answered. */
  seconds: number;
  /** Resident memory that the process has more of than before. */
  grewMb: number;
}

/** Sends the inputs one after the other to an API that has nothing else to do. */
export async function attack(api: WatchedApi, inputs: HostileInput[], say: (result: Attacked) => void = () => {}): Promise<Attacked[]> {
  // What a process loads at the first use of something is not the caller's doing.
  for (const input of inputs) if (/as may be|lines of 5/.test(input.name)) await api.send(input);
  let { memory } = await api.held();
  const results: Attacked[] = [];
  for (const input of inputs) {
    const began = performance.now();
    const status = await api.send(input);
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const held = await api.held();
    const grewMb = megabytes(held.memory - memory);
    memory = held.memory;
    const result = { name: input.name, status, cpuMs: Math.round(held.cpuMs), wallMs: Math.round(held.wallMs), seconds, grewMb };
    results.push(result);
    say(result);
  }
  return results;
}

/** Whether it kept others waiting, or was not foreseen. */
export const isBad = ({ cpuMs, status }: Attacked): boolean => cpuMs > LONGEST_HOLD_MS || isFailure(status);

const lineOf = (result: Attacked): string =>
  `${isBad(result) ? '!' : ' '} ${String(result.status).padStart(3)} ${String(result.cpuMs).padStart(6)} ms ${String(result.grewMb).padStart(5)} MB  ${result.name}`;

/** 503 is the workflow service, which is away here. */
const isFailure = (status: number) => status >= 500 && status !== 503;

const megabytes = (bytes: number) => Math.round(bytes / 1e6);

/** Bytes that processes have for themselves, what they share not counted. */
function ownMemory(pids: number[]): number {
  let kilobytes = 0;
  for (const pid of pids) {
    try {
      kilobytes += Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // Ended meanwhile.
    }
  }
  return kilobytes * 1024;
}
