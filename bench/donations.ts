import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureFirstSuperuser } from '../api/accounts/first-superuser.ts';
import { build } from '../api/app.ts';
import type { WorkflowGateway } from '../api/deps.ts';
import { readEnv } from '../config/env.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { connectOrm } from '../entities/orm.ts';
import { createPool } from '../entities/pool.ts';
import { bareDonations } from './support/bare-donations.ts';
import { startReader } from './support/read-load.ts';

/**
 * Donation pushes over HTTP, half of them of new people, against a bare Fastify route that writes the same rows in one SQL transaction; in
 * turns, so that a busy machine is busy for both.
 */
export async function run(args: string[]): Promise<Record<string, unknown>> {
  const { values } = parseArgs({
    args,
    options: {
      pushes: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '5' },
      lanes: { type: 'string', default: '8' },
    },
  });
  const [pushes, rounds, lanes] = [Number(values.pushes), Number(values.rounds), Number(values.lanes)];
  const dataDir = mkdtempSync(join(tmpdir(), 'campaign-bench-'));
  const postgres = await startPostgres({ dataDir });
  const env = readEnv({ DATABASE_URL: postgres.url });
  const orm = await connectOrm(env as never);
  const pool = createPool(postgres.url, 10);
  await orm.migrator.up();
  await ensureFirstSuperuser(orm, env);
  await pool.query(`insert into core_list (name) values ('Everyone')`);
  await pool.query(`insert into core_page (name, type, list_id) select 'give', 'donation', id from core_list`);
  await pool.query(
    'insert into core_donationpage (page_ptr_id, payment_account_id) select p.id, a.id from core_page p, core_paymentaccount a',
  );
  const app = await build({ env, orm, pool, workflows: NO_WORKFLOWS });
  const bare = bareDonations(pool);
  const client = startReader();
  try {
    for (const each of [app, bare]) await each.listen({ port: 0, host: '127.0.0.1' });
    const urlOf = (each: typeof app, path: string) => `http://127.0.0.1:${(each.server.address() as AddressInfo).port}${path}`;
    const sides = { ours: urlOf(app, '/rest/v1/donationpush/'), bare: urlOf(bare as never, '/push') };
    let made = 0;
    const load = (url: string, count: number) =>
      client.read({
        urls: Array(count).fill(url),
        method: 'POST',
        bodies: Array.from({ length: count }, () => JSON.stringify(push(made++))),
        lanes,
      });
    for (const url of Object.values(sides)) await load(url, 200);
    const ratios: number[] = [];
    const rates: number[] = [];
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const us = await load(sides.ours, pushes);
      const them = await load(sides.bare, pushes);
      ratios.push(us.perSecond / them.perSecond);
      rates.push(us.perSecond);
      times.push(...us.times);
      console.log(
        `ours ${us.perSecond.toFixed(0)}/s, bare route ${them.perSecond.toFixed(0)}/s: ${(us.perSecond / them.perSecond).toFixed(2)} of it`,
      );
    }
    times.sort((a, b) => a - b);
    return {
      pushesPerSecond: Math.round(median(rates)),
      p95: Math.round(times[Math.floor(times.length * 0.95)]! * 10) / 10,
      ratio: Math.round(median(ratios) * 100) / 100,
    };
  } finally {
    await client.close();
    await app.close();
    await bare.close();
    await pool.end();
    await orm.close(true);
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Every second one is of somebody new. */
const push = (n: number) => ({
  donationpage: { name: 'give' },
  order: {
    amount: `${1 + (n % 200)}.${String(n % 100).padStart(2, '0')}`,
    card_num: '4111111111111111',
    card_code: '007',
    exp_date_month: '12',
    exp_date_year: '2031',
    trans_id: `trans-${n}`,
    donation_import_id: `import-${n}`,
  },
  user: { email: `donor${n - (n % 2)}@example.org`, first_name: 'Dora', last_name: 'Donor' },
  action: { fields: { note: 'bench' } },
});

const NO_WORKFLOWS: WorkflowGateway = {
  start: async () => 'started',
  signalWithStart: async () => {},
  signal: async () => {},
  query: async () => null,
  ensureSchedule: async () => {},
  removeSchedule: async () => {},
  ready: async () => {},
};

const median = (all: number[]) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)]!;
