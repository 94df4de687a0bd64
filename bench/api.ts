import { parseArgs } from 'node:util';
import Fastify from 'fastify';
import type pg from 'pg';
import { median, percentile } from './support/percentile.ts';
import { startReader } from './support/read-load.ts';
import { listen, serveApi } from './support/served-api.ts';

/**
 * Reads over HTTP at many users: one user against a bare Fastify route with one prepared query, in turns; then pages of the collection, each with
 * its exact total_count.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: { users: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '5' } },
  });
  const [users, rounds] = [Number(values.users), Number(values.rounds)];
  console.log(`loading ${users} users`);
  const served = await serveApi({}, (pool) => load(pool, users));
  const { pool, app } = served;
  const bare = Fastify();
  bare.get('/user/:id', async (request) => {
    const { id } = request.params as { id: string };
    const { rows } = await pool.query({ name: 'bare', text: 'select * from core_user where id = $1', values: [Number(id)] });
    return rows[0];
  });
  const reader = startReader();
  try {
    const [ours, theirs] = [await listen(app), await listen(bare)];
    const anyone = () => 1 + Math.floor(Math.random() * users);
    const one = { ours: () => `${ours}/rest/v1/user/${anyone()}/`, theirs: () => `${theirs}/user/${anyone()}` };
    const rate = async (url: () => string, requests: number) =>
      (await reader.read({ urls: Array.from({ length: requests }, url), lanes: 10 })).perSecond;
    for (const url of Object.values(one)) await rate(url, 1000);
    const ratios: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const us = await rate(one.ours, 3000);
      const them = await rate(one.theirs, 3000);
      ratios.push(them / us);
      rates.push(us);
      console.log(`one user: ours ${us.toFixed(0)}/s, bare route ${them.toFixed(0)}/s, ${(them / us).toFixed(2)} times its cost`);
    }
    const pages: Record<string, number> = {};
    for (const [name, query] of Object.entries(PAGES)) {
      const url = `${ours}/rest/v1/user/?${query.replace('HALF', String(users / 2))}`;
      const { times } = await reader.read({ urls: Array(40).fill(url), lanes: 1 });
      pages[name] = round1(percentile(times, 0.95));
      console.log(`${name}: ${pages[name]} ms at the 95th percentile`);
    }
    return { users, ratio: Math.round(median(ratios) * 100) / 100, readsPerSecond: Math.round(median(rates)), p95: pages };
  } finally {
    await reader.close();
    await bare.close();
    await served.close();
  }
}

const PAGES = {
  'first page': '',
  'first page of a state': 'state=CA',
  'first page of a country that is nearly everybody': 'country=United%20States',
  'first page of those changed in the last weeks': 'updated_at__gte=2021-11-01&order_by=updated_at',
  'the same in the order of ids': 'updated_at__gte=2021-11-01',
  'page in the middle': '_offset=HALF',
  'page in the middle of a state': 'state=CA&_offset=25000',
};

async function load(pool: pg.Pool, users: number): Promise<void> {
  await pool.query(`insert into core_language (name, iso_code) values ('English', 'en'), ('French', 'fr')`);
  await pool.query(
    `insert into core_user (email, first_name, last_name, state, country, zip, source, lang_id, subscription_status, created_at, updated_at)
     select 'user' || i || '@example.org', 'First' || i, 'Last' || (i::bigint * 7919 % 50000),
       (array['CA','NY','TX','FL','WA','OR','NV','AZ','OH','PA','','MA','VT','ME','NH','CT','RI','NJ','DE','MD'])[1 + (i::bigint * 31 % 20)],
       case when i % 10 < 9 then 'United States' else 'Canada' end, lpad((i::bigint * 17 % 99999)::text, 5, '0'), 'source' || (i % 100),
       1 + i % 2, case when i % 10 < 8 then 'subscribed' else 'never' end,
       '2020-01-01'::timestamptz + i * interval '1 minute', '2020-01-01'::timestamptz + i * interval '1 minute'
     from generate_series(1, $1::int) i`,
    [users],
  );
  await pool.query('vacuum analyze');
}

const round1 = (value: number) => Math.round(value * 10) / 10;
