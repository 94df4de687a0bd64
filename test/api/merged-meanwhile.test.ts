import { deepEqual, equal } from 'node:assert/strict';
import { mergeUsers } from '../../core/people/merge.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { donation } from '../support/donations.ts';
import { idIn } from '../support/mailings.ts';
import { untilWaiting } from '../support/sessions.ts';

describe('what comes in while its person is being merged with another', () => {
  let api: TestApi;
  let people = 0;

  before(async () => {
    api = await startApi();
    await api.create('signuppage', { name: 'join' });
  });
  after(() => api.close());

  /** Sends a request, and waits until it waits for somebody. */
  async function sentAndWaiting(url: string, body: object) {
    const answer = api.call('POST', url, body);
    await untilWaiting(api.pool);
    return { answer };
  }

  /** Sends a request about somebody while a merge that takes them is at the first or the last of its steps. */
  async function meanwhile(url: string, step: 'first' | 'last', body: (going: { email: string; akid: string }) => object) {
    const email = `going${++people}@example.org`;
    const [staying, going] = [await api.create('user', { email: `staying${people}@example.org` }), await api.create('user', { email })];
    const { rows } = await api.pool.query(
      'insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id',
      [idIn(staying), JSON.stringify([idIn(going)])],
    );
    const { answer } = await inOneTransaction(api.pool, async (sql) => {
      await sql('select from core_user where id = any($1) order by id for update', [[idIn(staying), idIn(going)]]);
      if (step === 'last') await mergeUsers(sql, rows[0].id);
      const sent = await sentAndWaiting(url, body({ email, akid: akid(api.env.SECRET_KEY, null, idIn(going)) }));
      await mergeUsers(sql, rows[0].id);
      return sent;
    });
    return { answer: await answer, staying, email };
  }

  for (const step of ['first', 'last'] as const) {
    describe(`and it is at its ${step} step`, () => {
      it('is an action of who they have become, where their akid says whose it is', async () => {
        const { answer, staying } = await meanwhile('/rest/v1/action/', step, ({ akid }) => ({ page: 'join', akid }));
        equal(answer.statusCode, 201, answer.body);
        equal(answer.json().user, staying);
      });

      it('is an action of somebody new where their address says it, as it is a moment later', async () => {
        const { answer, email } = await meanwhile('/rest/v1/action/', step, ({ email }) => ({ page: 'join', email }));
        equal(answer.statusCode, 201, answer.body);
        deepEqual([answer.json().created_user, (await api.read(answer.json().user)).email], [true, email]);
      });

      it('is an action brought along by who they have become', async () => {
        for (const name of ['akid', 'referring_akid']) {
          const friend = { page: 'join', email: 'friend@example.org' };
          const { answer, staying } = await meanwhile('/rest/v1/action/', step, ({ akid }) => ({ ...friend, [name]: akid }));
          equal(answer.statusCode, 201, answer.body);
          deepEqual([answer.json().is_forwarded, answer.json().referring_user], [true, staying]);
        }
      });

      it('is a donation of who they have become', async () => {
        const { answer, staying } = await meanwhile('/rest/v1/donationpush/', step, ({ akid }) =>
          donation({ user: { akid, email: null } }),
        );
        equal(answer.statusCode, 200, answer.body);
        equal(answer.json().user, staying);
      });
    });
  }

  it('is an action of somebody new where whoever had the address is given another', async () => {
    const id = idIn(await api.create('user', { email: 'before@example.org' }));
    const { answer } = await inOneTransaction(api.pool, async (sql) => {
      await sql('select from core_user where id = $1 for update', [id]);
      const sent = await sentAndWaiting('/rest/v1/action/', { page: 'join', email: 'before@example.org' });
      await sql(`update core_user set email = 'after@example.org' where id = $1`, [id]);
      return sent;
    });
    const { user } = (await answer).json();
    equal((await api.read(user)).email, 'before@example.org');
  });
});
