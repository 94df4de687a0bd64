import { parseArgs } from 'node:util';
import Fastify from 'fastify';
import type pg from 'pg';
import { eraseUser } from '../core/people/erase.ts';
import { mergeUsers } from '../core/people/merge.ts';
import { inOneTransaction } from '../db/transaction.ts';
import { ormUsers } from './support/bare-orm.ts';
import { importFile } from './support/import-file.ts';
import { manyUsers } from './support/many-people.ts';
import { median, percentile } from './support/percentile.ts';
import { type Reader, startReader } from './support/read-load.ts';
import { listen, serveApi } from './support/served-api.ts';

/**
 * Users at many users: reads and writes over HTTP, each beside a bare Fastify route with one prepared statement for the same and one that goes
 * through the ORM's unit of work, in turns; pages with their exact total_count; a merge and an erasure of people with many actions, and what another person's request waits meanwhile; an import
 * beside a bare COPY of the same file.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      users: { type: 'string', default: '1000000' },
      requests: { type: 'string', default: '1500' },
      rounds: { type: 'string', default: '5' },
      actions: { type: 'string', default: '10000' },
      lines: { type: 'string', default: '1000000' },
    },
  });
  const { users, requests, rounds, actions, lines } = numbers(values);
  const served = await serveApi();
  const { env, pool, orm, app } = served;
  const [bare, unit] = [bareApp(pool), ormUsers(orm)];
  const reader = startReader();
  try {
    const began = performance.now();
    await manyUsers(pool, users);
    const loaded = seconds(began);
    console.log(`${users} users in ${loaded} s`);
    const bases = { ours: await listen(app), bare: await listen(bare), orm: await listen(unit) };
    const { ours } = bases;
    const single = await singles(reader, bases, { users, requests, rounds });
    const pages = await readPages(reader, ours, users);
    const jobs = await bigJobs(pool, env.SECRET_KEY, actions);
    const imported = await importFile(pool, served.dataDir, lines);
    console.log('import', imported);
    return { users, loadSeconds: loaded, single, pages, jobs, import: imported };
  } finally {
    await reader.close();
    await bare.close();
    await unit.close();
    await served.close();
  }
}

/** The least a route can be that does the same to the same table. */
function bareApp(pool: pg.Pool) {
  const bare = Fastify();
  const idOf = (request: { params: unknown }) => Number((request.params as { id: string }).id);
  bare.get('/user/:id', async (request) => {
    const { rows } = await pool.query({ name: 'bare-get', text: 'select * from core_user where id = $1', values: [idOf(request)] });
    return rows[0];
  });
  bare.post('/user/', async (request, reply) => {
    const { email, first_name: name } = request.body as { email: string; first_name: string };
    const text = 'insert into core_user (email, first_name) values ($1, $2) returning id';
    const { rows } = await pool.query({ name: 'bare-post', text, values: [email, name] });
    return reply.code(201).header('location', `/user/${rows[0].id}`).send();
  });
  bare.patch('/user/:id', async (request, reply) => {
    const { first_name: name } = request.body as { first_name: string };
    const text = 'update core_user set first_name = $2, updated_at = now() where id = $1';
    await pool.query({ name: 'bare-patch', text, values: [idOf(request), name] });
    return reply.code(202).send();
  });
  return bare;
}

async function singles(
  reader: Reader,
  bases: { ours: string; bare: string; orm: string },
  { users, requests, rounds }: { users: number; requests: number; rounds: number },
): Promise<Record<string, object>> {
  let fresh = 0;
  const anyone = () => 1 + Math.floor(Math.random() * users);
  const kinds = {
    GET: { path: () => `${anyone()}`, body: undefined },
    POST: { path: () => '', body: () => ({ email: `new${++fresh}@example.org`, first_name: 'New' }) },
    PATCH: { path: () => `${anyone()}`, body: () => ({ first_name: `Name${++fresh}` }) },
  };
  const figures: Record<string, object> = {};
  for (const [method, { path, body }] of Object.entries(kinds)) {
    const measure = (base: string, count: number) =>
      reader.read({
        urls: Array.from({ length: count }, () => `${base}${path()}`),
        method,
        ...(body && { bodies: Array.from({ length: count }, () => JSON.stringify(body())) }),
        lanes: 8,
      });
    const sides = { ours: `${bases.ours}/rest/v1/user/`, bare: `${bases.bare}/user/`, orm: `${bases.orm}/user/` };
    for (const base of Object.values(sides)) await measure(base, 300);
    const taken = [];
    for (let round = 0; round < rounds; round++) {
      const [ours, bare, orm] = [
        await measure(sides.ours, requests),
        await measure(sides.bare, requests),
        await measure(sides.orm, requests),
      ];
      taken.push({ ours, bare, orm });
    }
    const times = taken.flatMap(({ ours }) => ours.times).sort((a, b) => a - b);
    figures[method] = {
      perSecond: Math.round(median(taken.map(({ ours }) => ours.perSecond))),
      p50: at(times, 0.5),
      p95: at(times, 0.95),
      barePerSecond: Math.round(median(taken.map(({ bare }) => bare.perSecond))),
      ratio: rounded(median(taken.map(({ ours, bare }) => ours.perSecond / bare.perSecond))),
      ormPerSecond: Math.round(median(taken.map(({ orm }) => orm.perSecond))),
      toOrm: rounded(median(taken.map(({ ours, orm }) => ours.perSecond / orm.perSecond))),
    };
  }
  console.table(figures);
  return figures;
}

async function readPages(reader: Reader, ours: string, users: number): Promise<Record<string, object>> {
  const figures: Record<string, object> = {};
  for (const [name, query] of [
    ['first', ''],
    ['filtered', 'state=CA&last_name__startswith=Last1'],
    ['deep', `_offset=${users / 2}`],
  ] as const) {
    const { times } = await reader.read({ urls: Array(40).fill(`${ours}/rest/v1/user/?${query}`), lanes: 1 });
    figures[name] = { p50: at(times, 0.5), p95: at(times, 0.95) };
    console.log(`${name} page`, figures[name]);
  }
  return figures;
}

async function bigJobs(pool: pg.Pool, secret: string, actions: number): Promise<Record<string, number>> {
  await pool.query(`insert into core_page (name, type) values ('bench', 'signup')`);
  await pool.query(
    `insert into core_action (user_id, page_id) select user_id, (select id from core_page where name = 'bench')
     from unnest(array[1, 2, 3]) user_id, generate_series(1, $1)`,
    [actions],
  );
  const { rows: merge } = await pool.query(
    `insert into core_usermerge (primary_user, users, address_user, source_user) values (1, '[2]', 2, 2) returning id`,
  );
  const { rows: erasure } = await pool.query(
    `insert into core_erasure (user_id, options) values (3, '["user_fields", "action_fields"]') returning id`,
  );
  let running = true;
  let longestWait = 0;
  // Somebody else, all the while.
  const stranger = (async () => {
    while (running) {
      const began = performance.now();
      await pool.query(`update core_user set first_name = 'x', updated_at = now() where id = 4`);
      await pool.query(`insert into core_action (user_id, page_id) select 4, id from core_page where name = 'bench'`);
      longestWait = Math.max(longestWait, performance.now() - began);
    }
  })();
  const timed = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return seconds(began);
  };
  const [mergeSeconds, eraseSeconds] = await (async () => [
    await timed(() => inOneTransaction(pool, (sql) => mergeUsers(sql, merge[0].id))),
    await timed(() => inOneTransaction(pool, (sql) => eraseUser(sql, erasure[0].id, secret))),
  ])().finally(() => {
    running = false;
    return stranger;
  });
  const figures = { actions, mergeSeconds: mergeSeconds!, eraseSeconds: eraseSeconds!, othersWaitedMs: Math.round(longestWait) };
  console.log('jobs', figures);
  return figures;
}

const rounded = (ratio: number) => Math.round(ratio * 100) / 100;
const numbers = <Options extends Record<string, string>>(values: Options) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])) as Record<keyof Options, number>;
const at = (sorted: number[], share: number) => Math.round(percentile(sorted, share) * 10) / 10;
const seconds = (began: number) => Math.round(performance.now() - began) / 1000;
