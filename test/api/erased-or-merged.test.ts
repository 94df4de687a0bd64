import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as later } from 'node:timers/promises';
import { runErasure } from '../../core/people/erasure-job.ts';
import { mergeUsers } from '../../core/people/merge.ts';
import { runMerge } from '../../core/people/merge-job.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';

describe('somebody who is to be erased', () => {
  let api: TestApi;
  let stays: string;
  let going: string;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());
  beforeEach(async () => {
    const { count } = (await api.pool.query('select count(*)::int from core_user')).rows[0];
    stays = await api.create('user', { email: `stays${count}@example.org` });
    going = await api.create('user', { email: `going${count}@example.org`, first_name: 'Ann' });
  });

  const log = { info() {}, warn() {}, error() {} };
  const deps = () => ({ pool: api.pool, env: api.env, log });

  async function askMerge(primary: string, users: string[]): Promise<string> {
    const wish = { primary_user: primary, users, address_user: primary, source_user: primary };
    const asked = await api.call('POST', '/rest/v1/usermerge/', wish);
    equal(asked.statusCode, 201, asked.body);
    return String(asked.headers.location).slice(api.env.BASE_URL.length);
  }

  for (const [whose, users] of [
    ['into another', () => [stays, going]],
    ['with another', () => [going, stays]],
  ] as const) {
    it(`is not merged ${whose} before that, by whom they would be kept or take somebody along`, async () => {
      const [primary, other] = users() as [string, string];
      const merge = await askMerge(primary, [other]);
      const erased = api.call('POST', '/rest/v1/eraser/', { user_id: idIn(going) });
      const job = async () => (await api.pool.query('select id from core_erasure where user_id = $1', [idIn(going)])).rows[0]?.id;
      while ((await job()) === undefined) await later(10);
      await runMerge(deps(), idIn(merge));
      const { status, errors } = await api.read(merge);
      deepEqual([status, errors], ['failed', [`User ${idIn(going)} is to be erased.`]]);
      await runErasure(deps(), await job());
      equal((await erased).statusCode, 303, (await erased).body);
      const { email, first_name } = await api.read(going);
      match(email, /^erased-/);
      equal(first_name, '');
      equal((await api.call('GET', stays)).statusCode, 200);
    });
  }

  it('is told to be gone where a merge took them in that moment', async () => {
    const { rows } = await api.pool.query(
      'insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id',
      [idIn(stays), JSON.stringify([idIn(going)])],
    );
    const { answer } = await inOneTransaction(api.pool, async (sql) => {
      await mergeUsers(sql, rows[0].id);
      const asked = api.call('POST', '/rest/v1/eraser/', { user_id: idIn(going) });
      await later(300);
      return { answer: asked };
    });
    const { statusCode, body } = await answer;
    equal(statusCode, 400);
    match(body, new RegExp(`There is no user ${idIn(going)}\\.`));
    equal((await api.pool.query('select from core_erasure where user_id = $1', [idIn(going)])).rowCount, 0);
  });
});
