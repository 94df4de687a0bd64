import { deepEqual, equal } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deliverDue } from '../../../core/webhooks/deliver.ts';
import { webhooksDue } from '../../../core/webhooks/deliveries.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn } from '../../support/mailings.ts';

describe('a webhook that does not answer', () => {
  let api: TestApi;
  let listener: Server;
  let url: string;
  let asked = 0;
  let answer: { status: number; headers?: Record<string, string> } = { status: 503 };
  /** Before it answers. */
  let meanwhile: () => Promise<unknown> = async () => {};
  before(async () => {
    api = await startApi({ WEBHOOKS_INSIDE: 'true' });
    await api.create('signuppage', { name: 'join' });
    listener = createServer((request, response) => {
      asked++;
      request.resume().on('end', async () => {
        await meanwhile();
        response.writeHead(request.url === '/other' ? 204 : answer.status, answer.headers).end();
      });
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
  });
  after(async () => {
    listener.close();
    await api.close();
  });
  beforeEach(async () => {
    await api.pool.query('delete from core_webhook');
    asked = 0;
    answer = { status: 503 };
  });

  const listen = async () => {
    const uri = await api.create('webhook', { url, events: ['action'], secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` });
    return { uri, id: idIn(uri) };
  };
  let acted = 0;
  const act = () => api.call('POST', '/rest/v1/action/', { page: 'join', email: `actor${acted++}@example.org` });
  /** As the sweep does: what is due is delivered. */
  const look = async (id: number) => {
    if ((await webhooksDue(api.pool)).includes(id)) await deliverDue(api, id, new AbortController().signal);
  };
  const restOf = async (id: number) =>
    (await api.pool.query('select extract(epoch from rests_until - now()) as s from core_webhook where id = $1', [id])).rows[0].s;
  const wake = (id: number) => api.pool.query('update core_webhook set rests_until = now() where id = $1', [id]);
  const about = (seconds: string | null) => Math.max(0, Math.round(Number(seconds) / 10) * 10);

  it('is left alone for longer each time, five minutes at most, however much happens meanwhile', async () => {
    const { id } = await listen();
    const rests: number[] = [];
    for (let n = 0; n < 10; n++) {
      await act();
      await look(id);
      rests.push(about(await restOf(id)));
      await act();
      const before = asked;
      if (rests[n]) await look(id);
      equal(asked, before);
      await wake(id);
    }
    deepEqual([asked, rests], [10, [0, 0, 0, 20, 40, 80, 160, 300, 300, 300]]);
    answer = { status: 204 };
    await act();
    await look(id);
    deepEqual((await api.pool.query('select failures, rests_until from core_webhook where id = $1', [id])).rows, [
      { failures: 0, rests_until: null },
    ]);
  });

  it('is left alone for as long as it says itself, an hour at most', async () => {
    for (const [header, seconds] of [
      ['120', 120],
      [new Date(Date.now() + 60_000).toUTCString(), 60],
      ['86400', 3600],
    ] as const) {
      const { id } = await listen();
      answer = { status: 429, headers: { 'retry-after': header } };
      await act();
      await look(id);
      equal(about(await restOf(id)), seconds);
      const { rows } = await api.pool.query(
        'select extract(epoch from next_at - now()) as s from core_webhookdelivery where webhook_id = $1',
        [id],
      );
      equal(about(rows[0].s), seconds);
      const before = asked;
      await act();
      await look(id);
      equal(asked, before);
      await api.pool.query('delete from core_webhook');
    }
  });

  it('is asked at once where somebody has a delivery tried again, or changes it', async () => {
    const { id, uri } = await listen();
    answer = { status: 503, headers: { 'retry-after': '600' } };
    await act();
    await look(id);
    const [{ resource_uri }] = (await api.read(`/rest/v1/webhookdelivery/?webhook=${id}`)).objects;
    equal((await api.call('POST', `${resource_uri}retry/`)).statusCode, 202);
    await look(id);
    equal(asked, 2);
    equal((await api.call('PATCH', uri, { url })).statusCode, 202);
    await act();
    await look(id);
    equal(asked, 3);
    deepEqual(
      Object.keys(await api.read(uri)).filter((name) => /fail|rest/.test(name)),
      [],
    );
  });

  for (const status of [503, 410])
    it(`is asked at its other address at once where that is written while the one before answers ${status}`, async () => {
      const { id, uri } = await listen();
      answer = { status, headers: { 'retry-after': '600' } };
      meanwhile = async () => {
        meanwhile = async () => {};
        equal((await api.call('PATCH', uri, { url: new URL('/other', url).href })).statusCode, 202);
      };
      await act();
      await look(id);
      const [told] = (await api.read(`/rest/v1/webhookdelivery/?webhook=${id}`)).objects;
      deepEqual([asked, told.status, told.attempts, about(await restOf(id))], [2, 'delivered', 1, 0]);
    });

  it('is asked at once for those that somebody has tried again while it was asked before, and did not answer', async () => {
    const { id } = await listen();
    for (let n = 0; n < 2; n++) await act();
    // It has not answered for days, and asks for an hour.
    await api.pool.query('update core_webhookdelivery set attempts = 20');
    answer = { status: 503, headers: { 'retry-after': '3600' } };
    meanwhile = async () => {
      meanwhile = async () => {};
      for (const { resource_uri: uri } of (await api.read(`/rest/v1/webhookdelivery/?webhook=${id}`)).objects)
        equal((await api.call('POST', `${uri}retry/`)).statusCode, 202);
    };
    await look(id);
    answer = { status: 204 };
    await look(id);
    const told: { status: string }[] = (await api.read(`/rest/v1/webhookdelivery/?webhook=${id}`)).objects;
    deepEqual(
      told.map(({ status }) => status),
      ['delivered', 'delivered'],
    );
  });

  it('is asked within the longest rest also where the clock of the database is set back meanwhile', async () => {
    const { id } = await listen();
    await api.pool.query(`update core_webhook set failures = 6, rests_until = now() + interval '59 minutes' where id = $1`, [id]);
    await act();
    await look(id);
    equal(asked, 0);
    // As it looks when the clock is set back by five hours.
    await api.pool.query(`update core_webhook set rests_until = rests_until + interval '5 hours' where id = $1`, [id]);
    await look(id);
    equal(asked, 1);
  });

  it('and says that it is gone is not told of that again', async () => {
    const { id } = await listen();
    answer = { status: 410 };
    await act();
    await look(id);
    await api.pool.query('update core_webhookdelivery set next_at = now()');
    await look(id);
    const [told] = (await api.read(`/rest/v1/webhookdelivery/?webhook=${id}`)).objects;
    deepEqual([asked, told.status, told.attempts, told.last_status], [1, 'failed', 1, 410]);
  });
});
