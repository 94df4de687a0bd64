import { parseArgs } from 'node:util';
import type pg from 'pg';
import { bareDonations } from './support/bare-donations.ts';
import { ormDonations } from './support/bare-orm.ts';
import { median, percentile } from './support/percentile.ts';
import { startReader } from './support/read-load.ts';
import { listen, serveApi } from './support/served-api.ts';

/**
 * Donation pushes over HTTP, half of them of new people, against a bare Fastify route that writes the same rows in one SQL transaction, and one that
 * writes them through the ORM's unit of work; in turns, so that a busy machine is busy for both.
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
  const served = await serveApi({}, pageToGive);
  const { pool, orm, app } = served;
  const [bare, unit] = [bareDonations(pool), ormDonations(orm)];
  const client = startReader();
  try {
    const sides = {
      ours: `${await listen(app)}/rest/v1/donationpush/`,
      bare: `${await listen(bare)}/push`,
      orm: `${await listen(unit)}/push`,
    };
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
    const toOrm: number[] = [];
    const rates: number[] = [];
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const us = await load(sides.ours, pushes);
      const them = await load(sides.bare, pushes);
      const unitOfWork = await load(sides.orm, pushes);
      ratios.push(us.perSecond / them.perSecond);
      toOrm.push(us.perSecond / unitOfWork.perSecond);
      rates.push(us.perSecond);
      times.push(...us.times);
      console.log(
        `ours ${us.perSecond.toFixed(0)}/s; bare route ${them.perSecond.toFixed(0)}/s, ${ratios.at(-1)!.toFixed(2)} of it;`,
        `through the ORM ${unitOfWork.perSecond.toFixed(0)}/s, ${toOrm.at(-1)!.toFixed(2)} times that`,
      );
    }
    return {
      pushesPerSecond: Math.round(median(rates)),
      p95: Math.round(percentile(times, 0.95) * 10) / 10,
      ratio: Math.round(median(ratios) * 100) / 100,
      toOrm: Math.round(median(toOrm) * 100) / 100,
    };
  } finally {
    await client.close();
    await bare.close();
    await unit.close();
    await served.close();
  }
}

async function pageToGive(pool: pg.Pool): Promise<void> {
  await pool.query(`insert into core_list (name) values ('Everyone')`);
  await pool.query(`insert into core_page (name, type, list_id) select 'give', 'donation', id from core_list`);
  await pool.query(
    'insert into core_donationpage (page_ptr_id, payment_account_id) select p.id, a.id from core_page p, core_paymentaccount a',
  );
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
