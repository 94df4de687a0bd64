import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { merge } from '../support/merging.ts';
import { become, seedMailing } from '../support/sending.ts';
import { track } from '../support/tracking.ts';

const PHONE = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15', authorization: '' };

describe('opens and clicks', () => {
  let api: TestApi;
  let mailing: number;
  let users: number[];

  before(async () => {
    api = await startApi();
    mailing = await seedMailing(api.pool, 6);
    await api.pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'A'), ($1, 1, 'B')`, [mailing]);
    await api.pool.query(`insert into core_mailinglink (mailing_id, number, url) values ($1, 0, 'https://a.example/?me={{ akid }}')`, [
      mailing,
    ]);
    await become(
      api.pool,
      mailing,
      [1, 2, 3, 4, 5, 6].map((position) => ({ position, state: 2 })),
    );
    const { rows } = await api.pool.query('select user_id from send_record where mailing_id = $1 order by position', [mailing]);
    users = rows.map((row) => row.user_id);
  });
  after(() => api.close());

  const of = (n: number) => akid(api.env.SECRET_KEY, mailing, users[n] as number);
  const results = async () => (await api.call('GET', `/rest/v1/mailer/${mailing}/results/`)).json();
  /** They are written a moment after the answer. @param atLeast so many opens and clicks are waited for */
  const settled = async (atLeast: number, pool = api.pool) => {
    const written = 'select (select count(*) from core_open)::int + (select count(*) from core_click)::int as n';
    do await sleep(600);
    while ((await pool.query(written)).rows[0].n < atLeast);
  };

  it('are counted by people and by times, machines apart, by subject, and found in the results', async () => {
    const pixel = await api.call('GET', `/open/${of(0)}.gif`, undefined, PHONE);
    equal(pixel.statusCode, 200);
    equal(pixel.headers['content-type'], 'image/gif');
    await api.call('GET', `/open/${of(0)}.gif`, undefined, PHONE);
    await api.call('GET', `/open/${of(1)}.gif`, undefined, PHONE);
    await api.call('GET', `/open/${of(2)}.gif`, undefined, { 'user-agent': 'Mozilla/5.0', authorization: '' });
    const click = await api.call('GET', `/click/${of(0)}/0`, undefined, PHONE);
    equal(click.statusCode, 302);
    equal(click.headers.location, `https://a.example/?me=${of(0)}`);
    await settled(5);
    const { totals, subjects } = await results();
    deepEqual([totals.opens, totals.raw_opens, totals.total_opens, totals.total_raw_opens], [2, 3, 3, 4]);
    deepEqual([totals.clicks, totals.total_clicks], [1, 1]);
    // Positions 1 and 3 got the second subject, position 2 the first.
    deepEqual(
      subjects.map((subject: { subject: string; opens: number; raw_opens: number }) => [subject.subject, subject.opens, subject.raw_opens]),
      [
        ['A', 1, 1],
        ['B', 1, 2],
      ],
    );
    // A second time counts times, not people; an open first seen from a machine counts when the person follows.
    await api.call('GET', `/open/${of(1)}.gif`, undefined, PHONE);
    await api.call('GET', `/open/${of(2)}.gif`, undefined, PHONE);
    await settled(7);
    const again = (await results()).totals;
    deepEqual([again.opens, again.raw_opens, again.total_opens, again.total_raw_opens], [3, 3, 5, 6]);
  });

  it('lead to addresses beyond ASCII, and to none with line ends in a header', async () => {
    const add = (number: number, url: string) =>
      api.pool.query('insert into core_mailinglink (mailing_id, number, url) values ($1, $2, $3)', [another, number, url]);
    const another = await seedMailing(api.pool, 1);
    const { rows } = await api.pool.query('select user_id from send_record where mailing_id = $1', [another]);
    const mine = akid(api.env.SECRET_KEY, another, rows[0].user_id);
    await add(0, 'https://пример.example/петиция?q=für uns&akid={{ akid }}');
    await add(1, 'https://a.example/\r\nSet-Cookie: a=b');
    const { statusCode, headers } = await api.call('GET', `/click/${mine}/0`, undefined, PHONE);
    equal(statusCode, 302);
    const path = '/%D0%BF%D0%B5%D1%82%D0%B8%D1%86%D0%B8%D1%8F';
    equal(headers.location, `https://xn--e1afmkfd.example${path}?q=f%C3%BCr%20uns&akid=${mine}`);
    const split = await api.call('GET', `/click/${mine}/1`, undefined, PHONE);
    deepEqual(
      [split.statusCode, split.headers.location, split.headers['set-cookie']],
      [302, 'https://a.example/Set-Cookie:%20a=b', undefined],
    );
  });

  it('are recorded for nobody when the akid is not ours, though the link still leads on', async () => {
    const before = (await results()).totals;
    const forged = of(3).replace(/.{6}$/, 'aaaaaa');
    equal((await api.call('GET', `/open/${forged}.gif`, undefined, PHONE)).statusCode, 200);
    equal((await api.call('GET', `/click/${forged}/0`, undefined, PHONE)).statusCode, 302);
    equal((await api.call('GET', `/click/${of(3)}/7`, undefined, PHONE)).statusCode, 404);
    equal((await api.call('GET', `/click/${of(3)}/https:%2F%2Fevil.example`, undefined, PHONE)).statusCode, 404);
    equal((await api.call('GET', '/click/nonsense/0', undefined, PHONE)).statusCode, 404);
    await settled(7);
    deepEqual((await results()).totals, before);
  });

  it('come through a crowd whole', async () => {
    await Promise.all(Array.from({ length: 1000 }, (_, n) => api.call('GET', `/open/${of(n % 6)}.gif`, undefined, PHONE)));
    await settled(1007);
    const { totals } = await results();
    equal(totals.opens, 6);
    equal(totals.total_opens, 1005);
  });

  it('are recorded for one mail up to six hundred times a minute, and always answered', async () => {
    const own = await startApi();
    try {
      const id = await seedMailing(own.pool, 1);
      const { rows } = await own.pool.query('select user_id from send_record where mailing_id = $1', [id]);
      const url = `/open/${akid(own.env.SECRET_KEY, id, rows[0].user_id)}.gif`;
      const answers = await Promise.all(Array.from({ length: 700 }, () => own.call('GET', url, undefined, PHONE)));
      equal(answers.filter(({ statusCode }) => statusCode === 200).length, 700);
      await settled(600, own.pool);
      equal((await own.pool.query('select count(*)::int as n from core_open')).rows[0].n, 600);
    } finally {
      await own.close();
    }
  });

  it('of people who are merged are those of one', async () => {
    const id = await seedMailing(api.pool, 3);
    await api.pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'A')`, [id]);
    const [one, other, third] = users as [number, number, number];
    const did = (userId: number, more: { link?: number; machine?: boolean } = {}) => ({ userId, mailingId: id, ...more });
    await track(api.pool, did(one, { machine: true }), did(other), did(other), did(other), did(other, { link: 0 }), did(third));
    await merge(api.pool, one, [other, third]);
    const counted = async () =>
      (await api.pool.query('select user_id, opens, raw_opens, clicks, raw_clicks from core_trackedrecipient where mailing_id = $1', [id]))
        .rows;
    deepEqual(await counted(), [{ user_id: one, opens: 4, raw_opens: 5, clicks: 1, raw_clicks: 1 }]);
    await track(api.pool, did(one), did(one, { link: 0 }));
    const { totals } = (await api.call('GET', `/rest/v1/mailer/${id}/results/`)).json();
    deepEqual([totals.opens, totals.total_opens, totals.clicks, totals.total_clicks], [2, 5, 1, 2]);
  });
});
