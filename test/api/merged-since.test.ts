import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { mergeUsers } from '../../core/people/merge.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { abuse, dsn } from '../support/mail-reports.ts';
import { idIn } from '../support/mailings.ts';
import { subscriberWithMail } from '../support/subscriber.ts';
import { track } from '../support/tracking.ts';

describe('the mail of somebody who was merged with another since', () => {
  let api: TestApi;
  let list: string;
  let mailingId: number;

  before(async () => {
    api = await startApi();
    list = await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join' });
    mailingId = (await api.pool.query(`insert into core_mailing (status, started_at) values ('completed', now()) returning id`)).rows[0].id;
  });
  after(() => api.close());

  async function merge(primary: string, users: string[]): Promise<void> {
    const asked = await api.call('POST', '/rest/v1/usermerge/', {
      primary_user: primary,
      users,
      address_user: primary,
      source_user: primary,
    });
    equal(asked.statusCode, 201, asked.body);
    await inOneTransaction(api.pool, (sql) => mergeUsers(sql, idIn(String(asked.headers.location))));
  }

  /** Somebody merged into another, and that one into a third; `mail` and `akid` are the first one's. */
  async function mergedTwice() {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => subscriberWithMail(api, list, mailingId)));
    await merge(second!.uri, [first!.uri]);
    await merge(third!.uri, [second!.uri]);
    return { now: third!.uri, mail: first!.mail, akid: akid(api.env.SECRET_KEY, mailingId, idIn(first!.uri)), was: idIn(first!.uri) };
  }
  const statusOf = async (uri: string) => (await api.read(uri)).subscription_status;

  it('takes who they have become off all lists, by link, button and mail', async () => {
    const oneClick = await mergedTwice();
    const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
    const answer = await api.call('POST', `/unsubscribe/?akid=${oneClick.akid}`, 'List-Unsubscribe=One-Click', form);
    deepEqual([answer.statusCode, await statusOf(oneClick.now)], [200, 'unsubscribed']);
    const written = await mergedTwice();
    const [, address] = /<mailto:([^?>]+)\?subject=unsubscribe>/.exec(written.mail.message)!;
    const letter = `From: me@example.org\r\nTo: ${address}\r\nSubject: unsubscribe\r\n\r\n`;
    await api.call('POST', '/rest/v1/bounce/', letter, { 'content-type': 'message/rfc822' });
    equal(await statusOf(written.now), 'unsubscribed');
  });

  const unsubscribed = {
    what: 'leave',
    by: ({ uri }: { uri: string }) => {
      const form = { 'content-type': 'application/x-www-form-urlencoded', authorization: '' };
      return api.call('POST', `/unsubscribe/?akid=${akid(api.env.SECRET_KEY, mailingId, idIn(uri))}`, 'List-Unsubscribe=One-Click', form);
    },
  };
  const complained = {
    what: 'complain',
    by: ({ mail }: { mail: { message: string } }) =>
      api.call('POST', '/rest/v1/bounce/', abuse(mail.message), { 'content-type': 'message/rfc822' }),
  };
  for (const { what, by } of [unsubscribed, complained]) {
    it(`takes them off, too, where one merge after the other comes while they ${what}`, async () => {
      /** @returns whether they were still at it when the second merge was done */
      const happens = async (): Promise<boolean> => {
        const people = await Promise.all([1, 2, 3].map(() => subscriberWithMail(api, list, mailingId)));
        const [first, second, third] = people.map(({ uri }) => idIn(uri)) as [number, number, number];
        let left = false;
        const waiting = async (many: number) => {
          const held = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
          while (!left && (await api.pool.query(held)).rowCount! < many) await sleep(20);
        };
        /** Done, and not committed before `commit` is called. */
        const begin = async (primary: number, user: number) => {
          const { rows } = await api.pool.query(
            'insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id',
            [primary, JSON.stringify([user])],
          );
          const [done, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
          const over = inOneTransaction(api.pool, async (sql) => {
            await mergeUsers(sql, rows[0].id);
            done.resolve();
            await told.promise;
          });
          return {
            done: done.promise,
            commit: () => {
              told.resolve();
              return over;
            },
          };
        };
        const one = await begin(second, first);
        await one.done;
        const other = await begin(third, second);
        await waiting(1);
        const leaving = by(people[0]!).finally(() => {
          left = true;
        });
        await waiting(2);
        await one.commit();
        await other.done;
        await waiting(1);
        const wasAtIt = !left;
        await other.commit();
        equal((await leaving).statusCode < 300, true);
        if (wasAtIt) equal(await statusOf(people[2]!.uri), 'unsubscribed');
        return wasAtIt;
      };
      // Of those whom the first merge lets go on, the second one may be the later.
      while (!(await happens()));
    });
  }

  it('is complained about as by them; that it bounced says nothing of their address', async () => {
    const { now, mail } = await mergedTwice();
    const report = async (raw: string) => (await api.call('POST', '/rest/v1/bounce/', raw, { 'content-type': 'message/rfc822' })).json();
    equal((await report(dsn(mail.envelopeFrom))).bounce, null);
    equal(await statusOf(now), 'subscribed');
    await report(abuse(mail.message));
    equal(await statusOf(now), 'unsubscribed');
  });

  it('is opened and clicked by them, and they act by it', async () => {
    const { now, was, akid: sent } = await mergedTwice();
    await track(api.pool, { userId: was, mailingId }, { userId: was, mailingId, link: 1 });
    const { rows } = await api.pool.query(
      'select user_id from core_open where mailing_id = $1 union all select user_id from core_click where mailing_id = $1',
      [mailingId],
    );
    deepEqual(
      rows.map(({ user_id }) => user_id),
      [idIn(now), idIn(now)],
    );
    const acted = await api.call('POST', '/rest/v1/action/', { page: 'join', akid: sent });
    equal(acted.statusCode, 201, acted.body);
    const { user, mailing } = acted.json();
    deepEqual([user, mailing], [now, `/rest/v1/mailing/${mailingId}/`]);
  });

  it('is nobody’s once they were deleted', async () => {
    const { now, akid: sent } = await mergedTwice();
    await api.call('DELETE', now);
    const acted = await api.call('POST', '/rest/v1/action/', { page: 'join', akid: sent });
    deepEqual([acted.statusCode, acted.json().errors.akid], [400, ['akid names nobody.']]);
  });
});
