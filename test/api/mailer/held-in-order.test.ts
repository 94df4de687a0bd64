import { deepEqual, equal } from 'node:assert/strict';
import { inOneTransaction } from '../../../db/transaction.ts';
import { ADMIN, basic, startApi, type TestApi } from '../../support/api.ts';
import { ConsoleVisitor } from '../../support/console-visitor.ts';
import { idIn, makeReady } from '../../support/mailings.ts';
import { untilWaiting } from '../../support/sessions.ts';

describe('a mailing, and what it names', () => {
  let api: TestApi;
  let list: string;
  let deadlocks: number;
  before(async () => {
    api = await startApi({ ACCOUNT_CACHE_MS: '1000' });
    list = await api.create('list', { name: 'News' });
    deadlocks = await countDeadlocks();
  });
  after(() => api.close());
  afterEach(async () => equal(await countDeadlocks(), deadlocks, 'the two waited for each other'));

  async function countDeadlocks(): Promise<number> {
    const { rows } = await api.pool.query(
      'select deadlocks::int from pg_stat_force_next_flush(), pg_stat_database where datname = current_database()',
    );
    return rows[0].deadlocks;
  }

  /** Until so many wait for a lock, or what is asked is answered. */
  /** A mailing in whose set somebody stands. */
  async function mailingTo(email: string, more: object = {}) {
    const user = await api.create('user', { email });
    await api.create('subscription', { user, list });
    return { user, mailing: await makeReady(api, { includes: { lists: [list] }, ...more }) };
  }

  /** Sends a change while a DELETE of a user is on its way, who is held, and so are the mailings they stand in. */
  async function besideDelete(user: string, mailing: string, body: object) {
    return inOneTransaction(api.pool, async (sql) => {
      await sql('select from send_set where mailing_id = $1 for update', [idIn(mailing)]);
      const deleted = api.call('DELETE', user);
      await untilWaiting(api.pool, 1, deleted);
      const changed = api.call('PATCH', mailing, body);
      await untilWaiting(api.pool, 2, changed);
      return { deleted, changed };
    });
  }

  it('is changed beside the DELETE of somebody in its set', async () => {
    const { user, mailing } = await mailingTo('ann@example.org');
    const { deleted, changed } = await besideDelete(user, mailing, { includes: { lists: [list] }, excludes: { states: ['NY'] } });
    deepEqual([(await deleted).statusCode, (await changed).statusCode], [204, 202]);
    deepEqual((await api.read(mailing)).excludes, { states: ['NY'] });
  });

  it('is given a reviewer who is in its set beside their DELETE', async () => {
    const { user, mailing } = await mailingTo('ben@example.org');
    const { deleted, changed } = await besideDelete(user, mailing, { reviewers: [user] });
    deepEqual([(await deleted).statusCode, (await changed).statusCode], [204, 400]);
    deepEqual((await changed).json(), { errors: { reviewers: [`reviewers refers to nothing: there is no user ${idIn(user)}.`] } });
  });

  describe('by an account', () => {
    const BOSS = { username: 'boss', password: 'test-password' };
    const asked = { authorization: basic(BOSS) };
    let boss: string;
    let mailing: string;
    before(async () => {
      await mailingTo('cat@example.org');
    });
    beforeEach(async () => {
      boss = await api.create('authuser', { ...BOSS, is_superuser: true, email: 'boss@example.org' });
      mailing = await makeReady(api, { includes: { lists: [list] }, submitter: boss });
    });
    afterEach(() => api.call('DELETE', boss));

    const asks: Record<string, () => [method: string, url: string, body: object]> = {
      'named once more': () => ['PATCH', mailing, { scheduled_by: boss }],
      queued: () => ['POST', `${mailing}queue/`, {}],
      built: () => ['POST', `${mailing}rebuild/`, {}],
      'sent as proofs': () => ['POST', `${mailing}proofs/`, { proofs: 1, reviewers: ['x@example.org'] }],
    };
    for (const [what, ask] of Object.entries(asks))
      it(`that is deleted at the same time, is ${what} before`, async () => {
        const { answer, deleted } = await inOneTransaction(api.pool, async (sql) => {
          await sql('select from core_mailing where id = $1 for update', [idIn(mailing)]);
          const answer = api.call(...ask(), asked);
          await untilWaiting(api.pool, 1, answer);
          const deleted = api.call('DELETE', boss);
          await untilWaiting(api.pool, 2, deleted);
          return { answer, deleted };
        });
        deepEqual([Math.floor((await answer).statusCode / 100), (await deleted).statusCode], [2, 204]);
      });
    for (const what of ['queued', 'built', 'sent as proofs'])
      it(`that is deleted at the same time, is not ${what} after`, async () => {
        await api.call('GET', mailing, undefined, asked);
        const { answer } = await inOneTransaction(api.pool, async (sql) => {
          await sql('delete from auth_user where id = $1', [idIn(boss)]);
          const answer = api.call(...asks[what]!(), asked);
          await untilWaiting(api.pool, 1, answer);
          return { answer };
        });
        equal((await answer).statusCode, 401);
      });
  });

  it('is held from nobody at a form while others are waited for whose audience is changed with its own', async () => {
    const other = await makeReady(api, { includes: { lists: [list] } });
    const mailing = await makeReady(api, { includes: { lists: [list] } });
    await api.call('PATCH', other, { excludes: { mailings: [mailing] } });
    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    const form = `/console/mailings/${idIn(mailing)}/schedule/`;
    const { saved } = await inOneTransaction(api.pool, async (sql) => {
      await sql('select from core_mailing where id = $1 for update', [idIn(other)]);
      const saved = visitor.submit(form, form, { rate: '7' });
      await untilWaiting(api.pool, 1, saved);
      await sql('select from core_mailing where id = $1 for update nowait', [idIn(mailing)]);
      return { saved };
    });
    deepEqual([(await saved).statusCode, (await api.read(mailing)).mails_per_second], [303, 7]);
  });
});
