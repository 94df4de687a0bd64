import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Connection } from '@temporalio/client';
import { prepareNamespace } from '../activities/namespace.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { startSmtpSink } from '../embedded/smtp-sink.ts';
import { startTemporal } from '../embedded/temporal.ts';
import { type Attacked, attackApi, attackWorker, isBad, LONGEST_HOLD_MS, lineOf } from './support/attack.ts';
import { attackedDatabase } from './support/attacked-database.ts';
import { hostileInputs } from './support/hostile-inputs.ts';
import { descendants } from './support/process-cost.ts';
import { WatchedApi } from './support/watched-api.ts';
import { WatchedProcess } from './support/watched-process.ts';
import { workerInputs } from './support/worker-attack.ts';

/**
 * Adversarial requests to a real API process, one after another, and what it took of them to a real worker: how long each held the event loop of the process,
 * and the most memory API, worker and PostgreSQL took. Ends with 1 when one held it over 100 ms of processor time, was answered 500, or not at all.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({ args, options: { only: { type: 'string', default: '' } } });
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-bench-'));
  const closing: (() => unknown)[] = [() => rmSync(dataDir, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres({ dataDir });
    closing.push(() => postgres.stop());
    const temporal = await startTemporal({ dataDir, namespace: 'default', persistent: false });
    closing.push(() => temporal.stop());
    const connection = await Connection.connect({ address: temporal.address });
    await prepareNamespace(connection, 'default');
    await connection.close();
    const sink = await startSmtpSink({ keep: 1 });
    closing.push(() => sink.close());
    const services = { DATABASE_URL: postgres.url, DATA_DIR: dataDir, TEMPORAL_ADDRESS: temporal.address, SMTP_URL: sink.url };
    const pool = await attackedDatabase(services);
    closing.push(() => pool.end());
    const api = await WatchedApi.start(services);
    closing.push(() => api.stop());
    let databaseMb = 0;
    let worker: WatchedProcess | undefined;
    const watch = setInterval(() => {
      databaseMb = Math.max(databaseMb, megabytes(ownMemory(descendants([api.pid, worker?.pid ?? 0]))));
    }, 100);
    closing.push(() => clearInterval(watch));
    const chosen = ({ name }: { name: string }) => name.includes(values.only);
    const inputs = hostileInputs(WatchedApi.credentials);
    const say = (result: Attacked) => console.log(lineOf(result));

    console.log('API');
    const toApi = await attackApi(api, inputs.filter(chosen), say);
    console.log('\nworker');
    worker = new WatchedProcess('bin/worker.ts', services);
    closing.push(() => worker?.stop());
    const toWorker = await attackWorker(worker, (await workerInputs(api, pool, inputs)).filter(chosen), say);

    const most = (results: Attacked[]) => Math.max(0, ...results.map(({ peakMb }) => peakMb));
    const memory = { api: most(toApi), worker: most(toWorker), database: databaseMb };
    const summary = { api: sumUp('API', toApi), worker: sumUp('worker', toWorker), memory };
    console.log(
      `most memory: API ${memory.api} MB, worker ${memory.worker} MB, PostgreSQL and Temporal ${memory.database} MB in all their processes`,
    );
    if ([...toApi, ...toWorker].some(isBad)) process.exitCode = 1;
    return summary;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

function sumUp(what: string, results: Attacked[]): object {
  const byHold = results.toSorted((a, b) => b.cpuMs - a.cpuMs);
  const [largest] = results.toSorted((a, b) => b.grewMb - a.grewMb);
  console.log(`\nthe ten longest holds of the ${what}'s event loop, most of its own processor time first`);
  for (const result of byHold.slice(0, 10)) console.log(lineOf(result));
  const [longest] = byHold;
  console.log(
    `${results.length} inputs; the longest hold: ${longest?.cpuMs} ms (${longest?.name}); at most ${LONGEST_HOLD_MS} ms is right; it grew most, by ${largest?.grewMb} MB, with ${largest?.name}`,
  );
  return { inputs: results.length, longestHoldMs: longest?.cpuMs, of: longest?.name, bad: results.filter(isBad), results };
}

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
