import { deepEqual, equal, ok } from 'node:assert/strict';
import { donationsByMonth } from '../../core/donations/by-month.ts';
import { eraseUser } from '../../core/people/erase.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { targetTotals } from '../../core/whipcounts/totals.ts';
import { sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { push } from '../support/donations.ts';
import { idIn } from '../support/mailings.ts';

/** The same, counted from the rows themselves. */
const PAID = `
  select a.page_id, to_char(t.created_at at time zone 'UTC', 'YYYY-MM') as month, count(*)::int as payments, count(r.id)::int as recurring,
    sum(t.amount_converted)::text as amount
  from core_transaction t join core_order o on o.id = t.order_id join core_action a on a.id = o.action_id left join core_orderrecurring r on r.order_id = o.id
  where t.type = 'sale' and t.status = 'completed' group by 1, 2 order by month desc, sum(t.amount_converted) desc, a.page_id`;
const CALLED = `
  select target_id as id, count(*)::int as calls, count(*) filter (where lower(trim(response)) = 'supportive')::int as supportive,
    count(*) filter (where lower(trim(response)) not in ('uncommitted', 'supportive', 'opposed', 'message'))::int as other
  from core_whipcountactioncalled where page_id = $1 group by 1 order by 1`;

describe('what is counted of donations and calls as it comes', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
  });
  after(() => api.close());

  const rowsOf = async (text: string, values: unknown[] = []) => (await api.pool.query(text, values)).rows;
  const change = (text: string) => api.pool.query(text);
  const fold = async (table: string) => change(`select ${table}_fold(array(select distinct page_id from ${table}))`);

  it('is what the payments are, after changes of every kind', async () => {
    const agree = async (when: string) => {
      const counted = await donationsByMonth(sqlOn(api.pool), 24);
      const given = counted.map(({ title: _, name: __, ahead: ___, ...row }) => row);
      deepEqual(given, await rowsOf(PAID), when);
      return given.length;
    };
    equal(await agree('when there is nothing'), 0);
    const orders: number[] = [];
    for (let n = 0; n < 12; n++) {
      const profile = n % 3 === 0 ? { recurring_id: `P-${n}`, recurring_period: 'months' } : {};
      const { order } = await push(api, {
        donationpage: { name: ['give', 'other'][n % 2] },
        order: { amount: `${5 + n}.00`, ...profile },
        user: { email: `d${n % 4}@example.org` },
      });
      orders.push(idIn(order.resource_uri));
    }
    equal(await agree('after pushes'), 2);
    const [{ recurring }] = await rowsOf('select count(*)::int as recurring from core_orderrecurring');
    ok(recurring > 0, 'some recur');
    equal((await api.call('POST', `/rest/v1/order/${orders[0]}/reverse/`)).statusCode, 202);
    await agree('after a payment was given back');
    await change(`update core_transaction set created_at = created_at - id * interval '20 days'`);
    ok((await agree('over several months')) > 4);
    await change(`update core_action set page_id = (select max(page_id) from core_action) where id % 3 = 0`);
    await agree('after actions went to another page');
    await change(`insert into core_orderrecurring (order_id, action_id, user_id, account_id, recurring_id, amount, amount_converted, start)
      select id, action_id, user_id, account_id, 'late-' || id, total, total_converted, current_date from core_order
      where id not in (select order_id from core_orderrecurring)`);
    await agree('after all recur');
    await fold('core_donationtally');
    await agree('folded');
    equal((await api.call('DELETE', '/rest/v1/user/2/')).statusCode, 204);
    await agree('after somebody went');
    await change('update core_transaction set amount_converted = amount_converted * 2 where id % 2 = 0');
    await agree('after amounts changed');
    await change('truncate core_transaction cascade');
    equal(await agree('after all went'), 0);
    await fold('core_donationtally');
    deepEqual(await rowsOf('select from core_donationtally'), [], 'what came to nothing is gone');
  });

  it('is what callers reported, whatever they wrote', async () => {
    const page = idIn(
      await api.create('whipcountpage', { name: 'call', whipcountform: { minimum_calls: 1, minimum_response_agreement: '0.30' } }),
    );
    const targets: number[] = [];
    for (const last of ['Ames', 'Bode', 'Cole'])
      targets.push(idIn(await api.create('target', { type: 'senate', first: 'A', last, seat: last })));
    const agree = async (when: string) => {
      const counted = (await targetTotals(sqlOn(api.pool), page)).filter(({ calls }) => calls > 0);
      const given = counted.map(({ id, calls, supportive, other }) => ({ id, calls, supportive, other }));
      deepEqual(given, await rowsOf(CALLED, [page]), when);
      const report = await api.read('/rest/v1/report/run/whipcount_stance_per_target/?page=call');
      deepEqual(
        counted.map(({ id, calls, stance }) => [id, calls, stance]),
        report.map((row: unknown[]) => [row[0], row[3], row[6]]),
        `stances ${when}`,
      );
    };
    await agree('when there is nothing');
    const words = ['supportive', ' Opposed', 'will call back', 'Zealous', 'x'.repeat(9000), 'uncommitted'];
    for (let n = 0; n < 9; n++) {
      const said = Object.fromEntries(targets.map((target, t) => [`response-${target}`, words[(n * (t + 1)) % words.length]]));
      const answer = await api.call('POST', '/rest/v1/action/', { page: 'call', email: `c${n}@example.org`, ...said });
      equal(answer.statusCode, 201, answer.body);
    }
    await agree('after calls');
    const again = {
      page: 'call',
      email: 'c3@example.org',
      [`response-${targets[1]}`]: 'Zealous',
      [`response-${targets[2]}`]: 'supportive',
    };
    equal((await api.call('POST', '/rest/v1/action/', again)).statusCode, 201);
    await agree('after one called again');
    await fold('core_whipcounttally');
    await agree('folded');
    const [{ id }] = await rowsOf(`select id from core_user where email = 'c4@example.org'`);
    equal((await api.call('DELETE', `/rest/v1/user/${id}/`)).statusCode, 204);
    await agree('after somebody went');
    const [{ longest }] = await rowsOf('select max(length(response))::int as longest from core_whipcounttally');
    equal(longest, 32, 'of what somebody wrote there is the digest alone');
  });

  it('takes nothing for a stance that an erasure has emptied', async () => {
    const form = { minimum_calls: 1, minimum_response_agreement: '0.30' };
    const page = idIn(await api.create('whipcountpage', { name: 'emptied', whipcountform: form }));
    const targets: number[] = [];
    for (const last of ['Dorn', 'Ebel']) targets.push(idIn(await api.create('target', { type: 'senate', first: 'A', last, seat: last })));
    const [first, second] = targets.map((target) => `response-${target}`) as [string, string];
    const said = [{ [first]: 'yes, she will', [second]: 'no way' }, { [first]: 'yes, she will' }, { [first]: 'supportive' }];
    for (const [n, responses] of said.entries()) {
      const answer = await api.call('POST', '/rest/v1/action/', { page: 'emptied', email: `e${n}@example.org`, ...responses });
      equal(answer.statusCode, 201, answer.body);
    }
    for (const n of [0, 1]) {
      const [{ id }] = await rowsOf('select id from core_user where email = $1', [`e${n}@example.org`]);
      const [job] = await rowsOf(`insert into core_erasure (user_id, options) values ($1, '["action_fields"]') returning id`, [id]);
      await inOneTransaction(api.pool, (sql) => eraseUser(sql, job.id, api.env.SECRET_KEY));
    }
    const totals = await targetTotals(sqlOn(api.pool), page);
    deepEqual(
      totals.map(({ calls, supportive, other, stance }) => [calls, supportive, other, stance]),
      [
        [3, 1, 2, 'supportive'],
        [1, 0, 1, null],
      ],
    );
    const report = await api.read('/rest/v1/report/run/whipcount_stance_per_target/?page=emptied');
    deepEqual(
      report.map((row: unknown[]) => row.slice(3)),
      [
        [3, 'supportive', 1, 'supportive'],
        [1, null, 0, null],
      ],
    );
  });
});
