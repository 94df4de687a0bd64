import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTime } from '../../domain/in-time.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';

describe('a health check that carries credentials', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const check = (user: string, url = '/health/live') =>
    api.app.inject({ url, headers: { authorization: basic({ username: user, password: 'as it was' }) } });

  it('is answered at once while the database is silent: whoever waited would take the process for dead', async () => {
    const held = await api.pool.connect();
    try {
      await held.query('begin; lock table auth_user in access exclusive mode');
      equal(
        await inTime(
          check('probe').then(({ statusCode }) => statusCode),
          1_000,
          'no answer',
        ),
        200,
      );
    } finally {
      await held.query('rollback');
      held.release();
    }
  });

  it('is no guess: however often a probe asks with what is not right any more, its network is not shut out', async () => {
    const uri = await api.create('authuser', { username: 'ada', password: 'the new one', is_superuser: true });
    for (let n = 0; n < 12; n++) for (const url of ['/health/live', '/health/ready']) await check('ada', url);
    const { statusCode } = await api.app.inject({
      url: uri,
      headers: { authorization: basic({ username: 'ada', password: 'the new one' }) },
    });
    equal(statusCode, 200);
    deepEqual((await api.pool.query('select from auth_failure')).rows, []);
  });

  it('asks the workflow service once, however many ask at the same time or one after the other', async () => {
    let asked = 0;
    api.workflows.ready = async () => {
      asked++;
      await sleep(20);
    };
    const ready = () => api.app.inject({ url: '/health/ready' });
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 100 }, ready));
    for (let n = 0; n < 20; n++) answers.push(await ready());
    deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
    // What it said holds for a second.
    ok(asked <= 2 + (performance.now() - began) / 1000, `${asked} times`);
    await sleep(1_100);
    api.workflows.ready = async () => {
      throw new Error('it is away');
    };
    equal((await ready()).statusCode, 503);
    api.workflows.ready = async () => {};
    equal((await ready()).statusCode, 200);
  });
});
