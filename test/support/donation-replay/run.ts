import assert from 'node:assert/strict';
import { saveRates } from '../../../core/donations/rates.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../api.ts';
import { mochaHooks } from '../endings.ts';
import { generate, LISTS } from './generate.ts';
import { decimal, NOW, RATES, Reference } from './reference.ts';

/**
 * Pushes so many generated pushes and checks each answer, and at the end every sum, against the reference.
 * @returns what was pushed
 */
export async function replay(
  api: TestApi,
  seed: number,
  count: number,
): Promise<{ pushed: number; refused: number; orders: number; profiles: number }> {
  await ensureReportRole(api.pool, api.env);
  await saveRates(sqlOn(api.pool), '2026-11-20', RATES);
  await api.pool.query(`insert into core_paymentaccount (name) values ('Second Stub')`);
  await api.pool.query('insert into core_list (name) select unnest($1::text[])', [LISTS]);
  const reference = new Reference();
  const [{ now: began }] = (await sqlOn(api.pool)<{ now: string }>('select now()::text as now')) as [{ now: string }];
  let pushed = 0;
  for (const generated of generate(seed, count)) {
    const expected = reference.apply(generated);
    const answer = await api.call('POST', `/rest/v1/${generated.path}/`, generated.body);
    const about = `push ${pushed++} of seed ${seed} (${generated.fault ?? 'good'}): ${JSON.stringify(generated.body)} answered ${answer.body}`;
    assert.equal(answer.statusCode, expected.status, about);
    if (expected.total === undefined) continue;
    const action = answer.json();
    assert.deepEqual(
      [action.order.total, action.order.total_converted, action.created_user],
      [expected.total, expected.converted, expected.createdUser],
      about,
    );
  }
  await compare(api, reference, began);
  const orders = [...reference.orders.values()].reduce((sum, each) => sum + each.count, 0);
  return { pushed, refused: reference.refused, orders, profiles: reference.profiles.size };
}

/**
 * Everything the reference knows, asked for as reports ask for it.
 * @param began when the pushes did
 */
async function compare(api: TestApi, reference: Reference, began: string): Promise<void> {
  const report = async (query: string): Promise<unknown[][]> => {
    const answer = await api.call('POST', '/rest/v1/report/run/sql/', { query });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  };
  const sums = (rows: Map<string, { count: number; cents: bigint; converted: bigint }>) =>
    [...rows].map(([key, { count, cents, converted }]) => [key, count, decimal(cents, 2), decimal(converted, 10)]).sort();

  const orders = await report(`
    select p.name || ' ' || o.currency || ' ' || case when o.created_at >= '${began}' then '${NOW}' else to_char(o.created_at at time zone 'UTC', 'YYYY-MM') end, count(*), sum(o.total)::text, sum(o.total_converted)::text
    from core_order o join core_action a on a.id = o.action_id join core_page p on p.id = a.page_id group by 1`);
  assert.deepEqual(orders.sort(), sums(reference.orders));

  const transactions = await report(
    `select type || ' ' || status, count(*), sum(amount)::text, sum(amount_converted)::text from core_transaction group by 1`,
  );
  assert.deepEqual(transactions.sort(), sums(reference.transactions));

  const candidates = await report(
    'select c.name, sum(d.amount)::text from core_orderdetail d join core_candidate c on c.id = d.candidate_id group by 1 order by 1',
  );
  assert.deepEqual(candidates, [...reference.candidates].map(([name, cents]) => [name, decimal(cents, 2)]).sort());

  const profiles = await report('select recurring_id, status, currency, amount::text, amount_converted::text from core_orderrecurring');
  const wanted = [...reference.profiles].map(([id, { status, currency, cents, converted }]) => [
    id,
    status,
    currency,
    decimal(cents, 2),
    decimal(converted, 10),
  ]);
  assert.deepEqual(profiles.sort(), wanted.sort());

  const { rows: people } = await api.pool.query(
    `select lower(u.email) as email, u.city,
       (select coalesce(string_agg(l.name, ',' order by l.name), '') from core_subscription s join core_list l on l.id = s.list_id where s.user_id = u.id) as lists,
       (select coalesce(string_agg(name || '=' || value, ';' order by name), '') from
         (select name, string_agg(value, ',' order by id) as value from core_userfield where parent_id = u.id group by name) f) as fields
     from core_user u order by 1`,
  );
  const expected = [...reference.people].map(([email, { city, lists, fields }]) => ({
    email,
    city,
    lists: [...lists].sort().join(','),
    fields: [...fields]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(';'),
  }));
  assert.deepEqual(
    people,
    expected.sort((a, b) => (a.email < b.email ? -1 : 1)),
  );
}

// npm run replay:donations -- [count] [seed]
if (import.meta.main) {
  const [count = 10_000, seed = 1] = process.argv.slice(2).map(Number);
  const api = await startApi();
  const began = performance.now();
  console.log(JSON.stringify({ seed, ...(await replay(api, seed, count)), seconds: Math.round((performance.now() - began) / 100) / 10 }));
  await api.close();
  await mochaHooks.afterAll.call({ timeout() {} } as never);
}
