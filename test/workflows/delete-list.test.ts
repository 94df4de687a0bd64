import assert from 'node:assert/strict';
import { setTimeout as later } from 'node:timers/promises';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { UnavailableError } from '../../domain/errors.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const PEOPLE = 12_000;

describe('the deletion of a list', () => {
  let api: TestApi;
  let place: TestNamespace;
  let lists = 0;
  const statuses = async () =>
    Object.fromEntries(
      (await api.pool.query('select subscription_status as status, count(*)::int as n from core_user group by 1')).rows.map((row) => [
        row.status,
        row.n,
      ]),
    );
  /** With everybody up to this number on it. */
  const makeList = async (people: number) => {
    const uri = await api.create('list', { name: `List ${++lists}` });
    await api.pool.query(`insert into core_subscription (user_id, list_id) select id, $1 from core_user where id <= $2`, [
      uri.split('/')[4],
      people,
    ]);
    await api.pool.query(
      `insert into core_subscriptionhistory (user_id, list_id, change) select id, $1, 'subscribe' from core_user where id <= $2`,
      [uri.split('/')[4], people],
    );
    await api.pool.query(`update core_user set subscription_status = 'subscribed' where id <= $1`, [people]);
    return uri;
  };

  before(async () => {
    api = await startApi();
    place = await createNamespace();
    await api.pool.query(`insert into core_user (email) select i || '@example.org' from generate_series(1, ${PEOPLE}) i`);
    await runWorker(place, { DATABASE_URL: api.databaseUrl, SMTP_URL: 'smtp://127.0.0.1:1' });
    const real = temporalWorkflows(place.client);
    api.workflows.start = (start) => real.start(start);
  });
  after(() => api.close());

  it('is done at once where few are on it', async () => {
    const uri = await makeList(1000);
    const answer = await api.call('DELETE', uri);
    assert.equal(answer.statusCode, 204);
    assert.equal((await api.call('GET', uri)).statusCode, 404);
    assert.deepEqual(await statuses(), { never: PEOPLE - 1000, unsubscribed: 1000 });
    assert.equal((await api.call('DELETE', uri)).statusCode, 404);
  });

  it('goes on behind the answer where very many are, and says how far it is', async () => {
    const [kept, uri] = [await makeList(10), await makeList(PEOPLE)];
    // More than go in one transaction.
    await api.pool.query(
      `insert into core_subscriptionhistory (user_id, list_id, change) select id, $1, 'unsubscribe_admin' from core_user where id <= 7000`,
      [uri.split('/')[4]],
    );
    const answer = await api.call('DELETE', uri);
    assert.equal(answer.statusCode, 202);
    const at = String(answer.headers.location).slice(api.env.BASE_URL.length);
    assert.match(at, /^\/rest\/v1\/listdeletion\/\d+\/$/);
    let job = await api.read(at);
    assert.deepEqual([job.list, job.people], [uri, PEOPLE]);
    for (let tries = 0; job.status === 'pending' && tries < 10_000; tries++) {
      await later(20);
      job = await api.read(at);
    }
    assert.deepEqual([job.status, job.removed, job.errors], ['complete', PEOPLE, []]);
    assert.equal((await api.call('GET', uri)).statusCode, 404);
    const { rows: history } = await api.pool.query(
      'select list_id, change, count(*)::int as n from core_subscriptionhistory group by 1, 2',
    );
    assert.deepEqual(
      history.toSorted((a, b) => a.n - b.n),
      [
        { list_id: Number(kept.split('/')[4]), change: 'subscribe', n: 10 },
        { list_id: null, change: 'unsubscribe_admin', n: 7000 },
      ],
      'that people left stays, of no list',
    );
    assert.deepEqual(await statuses(), { subscribed: 10, unsubscribed: PEOPLE - 10 });
    assert.equal((await api.call('DELETE', kept)).statusCode, 204);
  });

  it('is asked for once, and begun by the sweep where the workflow service was away', async () => {
    const uri = await makeList(PEOPLE);
    const { start } = api.workflows;
    api.workflows.start = async () => {
      throw new UnavailableError('away');
    };
    const [first, second] = [await api.call('DELETE', uri), await api.call('DELETE', uri)];
    assert.deepEqual([first.statusCode, second.statusCode, second.headers.location], [202, 202, first.headers.location]);
    api.workflows.start = start;
    await api.pool.query(`update core_listdeletion set updated_at = now() - interval '1 minute' where status = 'pending'`);
    await place.client.workflow.execute('sweep', { workflowId: 'sweep', taskQueue: 'campaign', args: [{}] });
    const at = String(first.headers.location).slice(api.env.BASE_URL.length);
    for (let tries = 0; (await api.read(at)).status === 'pending' && tries < 10_000; tries++) await later(20);
    assert.equal((await api.read(at)).status, 'complete');
    assert.equal((await api.call('GET', uri)).statusCode, 404);
  });
});
