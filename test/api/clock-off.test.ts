import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { push } from '../support/donations.ts';
import { idIn, READY } from '../support/mailings.ts';
import { become, seedMailing } from '../support/sending.ts';

const DAY = 86_400_000;

describe('an API whose clock is off', () => {
  let api: TestApi;
  const { Date: real } = globalThis;

  /** By a clock that is off by so many days, and goes on. */
  async function off<Answer>(days: number, ask: () => Promise<Answer>): Promise<Answer> {
    globalThis.Date = class extends real {
      constructor(...given: [] | [number]) {
        super(...(given.length ? given : ([real.now() + days * DAY] as const)));
      }
      static override now = () => real.now() + days * DAY;
    } as DateConstructor;
    return ask().finally(() => {
      globalThis.Date = real;
    });
  }
  const until = async (what: string) => {
    while (!(await api.pool.query(what)).rowCount) await sleep(50);
  };

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());
  afterEach(() => {
    globalThis.Date = real;
  });

  it('dates what is done, opened and clicked by the clock of the database', async () => {
    const mailing = await seedMailing(api.pool, 1);
    await api.pool.query(`insert into core_mailinglink (mailing_id, number, url) values ($1, 0, 'https://a.example/')`, [mailing]);
    await become(api.pool, mailing, [{ position: 1, state: 2 }]);
    const { rows } = await api.pool.query('select id from core_user');
    const of = akid(api.env.SECRET_KEY, mailing, rows[0].id);
    for (const days of [2, -2])
      await off(days, async () => {
        await api.create('list', { name: `made ${days}` });
        equal((await api.call('GET', `/open/${of}.gif`)).statusCode, 200);
        equal((await api.call('GET', `/click/${of}/0`)).statusCode, 302);
        await until('select from core_auditlog');
        await until('select from core_open');
        await until('select from core_click');
        for (const table of ['core_auditlog', 'core_open', 'core_click']) {
          const { rowCount } = await api.pool.query(`delete from ${table} where created_at not between now() - interval '1 day' and now()`);
          deepEqual([table, rowCount], [table, 0]);
          await api.pool.query(`delete from ${table}`);
        }
      });
  });

  it('dates the first charge of a profile, and its end, by the clock of the database', async () => {
    for (const [days, period, then] of [
      [2, 'months', '1 month'],
      [-2, 'weeks', '7 days'],
    ] as const) {
      const { order } = await off(days, () => push(api, { order: { recurring_id: `of ${days}`, recurring_period: period } }));
      const [{ resource_uri: profile }] = order.orderrecurrings;
      const dated = `start = ((created_at at time zone 'UTC')::date + interval '${then}')::date + 1`;
      equal((await api.pool.query(`select from core_orderrecurring where id = $1 and ${dated}`, [idIn(profile)])).rowCount, 1);
      await off(days, () => api.call('PATCH', profile, { status: 'canceled_by_user' }));
      const ended = `canceled_at between created_at and clock_timestamp()`;
      equal((await api.pool.query(`select from core_orderrecurring where id = $1 and ${ended}`, [idIn(profile)])).rowCount, 1);
    }
  });

  it('dates what belongs to a page by the clock of the database', async () => {
    const uri = await api.create('whipcountpage', { name: 'calls' });
    for (const days of [2, -2]) {
      const change = { followup: { email_subject: `Of ${days}` }, whipcountform: { introduction_text: `Of ${days}` } };
      equal((await off(days, () => api.call('PATCH', uri, change))).statusCode, 202);
      for (const table of ['core_pagefollowup', 'core_whipcountform']) {
        const { rowCount } = await api.pool.query(`select from ${table} where updated_at not between now() - interval '1 day' and now()`);
        deepEqual([table, rowCount], [table, 0]);
      }
    }
  });

  it('that is set back meanwhile, waits for an erasure as long as it does at any time, and answers', async () => {
    const { rows } = await api.pool.query(`insert into core_user (email) values ('ann@example.org') returning id`);
    const asked = api.call('POST', '/rest/v1/eraser/', { user_id: rows[0].id });
    await until('select from core_erasure');
    equal((await off(-2, () => asked)).statusCode, 303);
  });

  it('tells how fast a mailing goes by the clock that it is sent by', async () => {
    const uri = await api.create('mailer', READY);
    await api.pool.query(`update core_mailing set status = 'sending', started_at = now() - interval '100 s' where id = $1`, [idIn(uri)]);
    await api.pool.query(`insert into send_run (mailing_id, content, started_at) values ($1, '{}', now() - interval '100 s')`, [idIn(uri)]);
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted) values ($1, 0, 1, 90000, 1000, 40000)`,
      [idIn(uri)],
    );
    for (const days of [0, 2, -2])
      for (const document of ['progress', 'status']) {
        const { rate } = await off(days, () => api.read(`${uri}${document}/`));
        ok(rate > 40 && rate <= 400, `${document}, ${days} days off: ${rate}`);
      }
  });
});

describe('an API whose clock is set back after it was started', () => {
  const { now } = Date;
  let ahead = 0;
  let api: TestApi;

  before(async () => {
    Date.now = () => now() + ahead;
    api = await startApi();
  });
  after(async () => {
    Date.now = now;
    await api.close();
  });

  it('keeps whoever had guessed too often out for the rest of a minute, as at any time', async () => {
    const guess = () => api.call('GET', '/rest/v1/userpublic/.1.aaaaaa/', undefined, { authorization: '' });
    let answer = await guess();
    for (let guesses = 1; answer.statusCode === 404 && guesses < 100; guesses++) answer = await guess();
    equal(answer.statusCode, 429);
    ahead = -2 * DAY;
    const later = await guess();
    equal(later.statusCode, 429);
    ok(Number(later.headers['retry-after']) <= 60, `${later.headers['retry-after']} seconds`);
  });
});
