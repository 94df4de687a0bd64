import { spawn } from 'node:child_process';
import http from 'node:http';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { ensureReportRole } from '../core/reports/report-role.ts';
import { reportDatabaseUrl } from '../db/report-login.ts';
import { median } from './support/percentile.ts';
import { listen, serveApi } from './support/served-api.ts';

const SIZES = [1, 1_000, 100_000];

/**
 * `report/run/sql` over HTTP against the same query in psql under the same login, in turns: each time a fresh connection, all rows read and thrown
 * away. Then one large report, for what it does to this process's memory. Without psql on the machine, ours alone.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '15' }, large: { type: 'string', default: '1000000' } },
  });
  const [rounds, large] = [Number(values.rounds), Number(values.large)];
  const served = await serveApi({ REPORT_MAX_ROWS: String(Math.max(large, ...SIZES)) }, async (pool, env) => {
    await ensureReportRole(pool, env);
    await somebodyToReport(pool);
  });
  const { env, app } = served;
  const { port } = new URL(await listen(app));
  const authorization = `Basic ${Buffer.from(`${env.ADMIN_USERNAME}:${env.ADMIN_PASSWORD}`).toString('base64')}`;
  const ours = (query: string) => fetchAll(port, authorization, query);
  const theirs = (query: string) => psql(reportDatabaseUrl(env), query);
  try {
    const havePsql = await theirs('select 1').then(
      () => true,
      () => false,
    );
    if (!havePsql) console.log('psql is not on this machine: ours alone');
    const sizes: Record<string, { ours: number; psql: number | null; overhead: number | null }> = {};
    for (const size of SIZES) {
      const query = `select id, email, first_name, last_name, zip, created_at from core_user order by id limit ${size}`;
      const [us, them]: [number[], number[]] = [[], []];
      await ours(query);
      for (let round = 0; round < rounds; round++) {
        us.push(await timed(() => ours(query)));
        if (havePsql) them.push(await timed(() => theirs(query)));
      }
      const [our, their] = [middle(us), havePsql ? middle(them) : null];
      sizes[size] = { ours: our, psql: their, overhead: their === null ? null : Math.round((our - their) * 10) / 10 };
      console.log(`${size} rows: ours ${our} ms, psql ${their ?? '–'} ms`);
    }
    // What garbage there is is not the report's.
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    const began = performance.now();
    const bytes = await ours(`select g, repeat('x', 100), now() from generate_series(1, ${large}) g`);
    clearInterval(watch);
    const seconds = (performance.now() - began) / 1000;
    const grown = Math.round((peak - before) / 1e6);
    console.log(`${large} rows, ${Math.round(bytes / 1e6)} MB, in ${seconds.toFixed(1)} s: this process grew by ${grown} MB`);
    return {
      milliseconds: sizes,
      large: { rows: large, megabytes: Math.round(bytes / 1e6), seconds: Math.round(seconds * 10) / 10, grownMegabytes: grown },
    };
  } finally {
    await served.close();
  }
}

async function somebodyToReport(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into core_user (email, first_name, last_name, zip, state)
     select 'person' || g || '@example.org', 'First' || g, 'Last' || g, lpad((g % 99999)::text, 5, '0'), 'CA' from generate_series(1, $1) g`,
    [Math.max(...SIZES)],
  );
  await pool.query('vacuum analyze core_user');
}

/** @returns bytes of the answer, read as they come and thrown away */
function fetchAll(port: string, authorization: string, query: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const path = `/rest/v1/report/run/sql/?query=${encodeURIComponent(query)}`;
    const request = http.get({ host: '127.0.0.1', port, path, headers: { authorization } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => (response.statusCode === 200 ? resolve(bytes) : reject(new Error(`${response.statusCode}`))));
    });
    request.on('error', reject);
  });
}

function psql(url: string, query: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('psql', ['-X', '-q', '--csv', '-o', '/dev/null', '-c', query, url], { stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`psql ended with ${code}`))));
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const middle = (times: number[]): number => Math.round(median(times) * 10) / 10;
