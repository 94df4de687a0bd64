import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnv } from '../../config/env.ts';
import { deliverDue } from '../../core/webhooks/deliver.ts';
import { webhooksDue } from '../../core/webhooks/deliveries.ts';
import { isOutside } from '../../core/webhooks/outside.ts';
import { TASK_QUEUE } from '../../workflows/contracts.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';
import { merge } from '../support/merging.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;

interface Heard {
  headers: IncomingHttpHeaders;
  body: string;
}

describe('webhooks', () => {
  let api: TestApi;
  let listener: Server;
  let url: string;
  let heard: Heard[] = [];
  let answer = 204;
  let meanwhile = async (): Promise<unknown> => null;

  before(async () => {
    api = await startApi({ WEBHOOKS_INSIDE: 'true' });
    const list = await api.create('list', { name: 'All' });
    await api.create('signuppage', { name: 'join', list });
    await api.create('importpage', { name: 'import', list });
    listener = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', async () => {
        heard.push({ headers: request.headers, body });
        await meanwhile();
        response.writeHead(answer, { location: '/elsewhere' }).end('never read');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => listener.once('listening', listening));
    url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
  });
  after(async () => {
    listener.close();
    await api.close();
  });
  beforeEach(async () => {
    heard = [];
    answer = 204;
    meanwhile = async () => null;
    await api.pool.query('delete from core_webhook');
  });

  const listen = async (events: string[], more: object = {}) => {
    const uri = await api.create('webhook', { url, events, secret: SECRET, ...more });
    return { uri, id: Number(uri.split('/').at(-2)) };
  };
  const act = (email: string, page = 'join') => api.call('POST', '/rest/v1/action/', { page, email });
  const deliver = (id: number, settings: Record<string, string> = { WEBHOOKS_INSIDE: 'true' }) =>
    deliverDue({ pool: api.pool, env: readEnv({ ...settings }) }, id, new AbortController().signal);
  const deliveries = async (query = '') => (await api.read(`/rest/v1/webhookdelivery/?order_by=id&${query}`)).objects;

  it('that are stopped, or given another secret, are so from the next delivery on, not only from the next round', async () => {
    const { uri, id } = await listen(['action']);
    for (const name of ['ann', 'bob', 'cat']) await act(`${name}@example.org`);
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const changes: object[] = [{ secret: other }, { active: false }];
    meanwhile = () => api.call('PATCH', uri, changes.shift());
    deepEqual(await deliver(id), { delivered: 2, more: false });
    const [, second] = heard;
    const { 'webhook-id': delivery, 'webhook-timestamp': at, 'webhook-signature': signature } = second!.headers;
    const signed = createHmac('sha256', Buffer.alloc(32, 8)).update(`${delivery}.${at}.${second!.body}`).digest('base64');
    equal(signature, `v1,${signed}`);
  });

  it('carry the time of the database, whatever that of the worker says: receivers refuse what is minutes off', async () => {
    const { id } = await listen(['action']);
    await act('timely@example.org');
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 600_000 });
    deepEqual(await deliver(id).finally(() => mock.timers.reset()), { delivered: 1, more: false });
    const { headers, body } = heard[0]!;
    const at = headers['webhook-timestamp'];
    ok(Math.abs(Number(at) - Date.now() / 1000) < 60, at as string);
    equal(
      headers['webhook-signature'],
      `v1,${createHmac('sha256', KEY).update(`${headers['webhook-id']}.${at}.${body}`).digest('base64')}`,
    );
  });

  it('that were put off are told though the clock of the database was set back meanwhile: no pause is longer than the longest', async () => {
    const { id } = await listen(['action']);
    await act('put-off@example.org');
    await api.pool.query(`update core_webhookdelivery set next_at = now() + interval '3 days', attempts = 1`);
    equal((await webhooksDue(api.pool)).includes(id), true);
    deepEqual(await deliver(id), { delivered: 1, more: false });
    await act('put-off@example.org');
    await api.pool.query(`update core_webhookdelivery set next_at = now() + interval '59 minutes' where status = 'pending'`);
    equal((await webhooksDue(api.pool)).includes(id), false);
    deepEqual(await deliver(id), { delivered: 0, more: false });
  });

  it('are told of what they listen to, by ids, signed as Standard Webhooks has it', async () => {
    const { id } = await listen(['action', 'unsubscribe', 'mailing.completed']);
    await listen(['donation']);
    const { action_id } = (await act('ann@example.org')).json();
    await act('imported@example.org', 'import');
    const user = (await api.read('/rest/v1/user/?email=ann@example.org')).objects[0];
    await api.call('DELETE', (await api.read(`/rest/v1/subscription/?user=${user.id}`)).objects[0].resource_uri);
    const mailing = await makeReady(api);
    await setMailing(api, mailing, { status: 'sending' });
    await setMailing(api, mailing, { status: 'completed' });
    deepEqual(await deliver(id), { delivered: 3, more: false });
    const told = heard.map(({ body }) => JSON.parse(body));
    deepEqual(
      told.map(({ event, data }) => [event, Object.keys(data)[0]]),
      [
        ['action', 'action'],
        ['unsubscribe', 'subscriptionhistory'],
        ['mailing.completed', 'mailer'],
      ],
    );
    equal(told[0].data.action, `/rest/v1/action/${action_id}/`);
    for (const { data } of told) equal((await api.call('GET', Object.values(data)[0] as string)).statusCode, 200);
    for (const { headers, body } of heard) {
      ok(!body.includes('ann@'));
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      equal(headers['webhook-signature'], `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`);
      ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 60);
    }
    deepEqual(
      (await deliveries(`webhook=${id}`)).map(({ status, attempts, last_status }: Record<string, unknown>) => [
        status,
        attempts,
        last_status,
      ]),
      [1, 2, 3].map(() => ['delivered', 1, 204]),
    );
    deepEqual(await deliver(id), { delivered: 0, more: false });
  });

  it('are told who is off a list by a merge, once for each list, and not who stays on it', async () => {
    const on = async (email: string, lists: string[]) => {
      const user = await api.create('user', { email });
      for (const list of lists) await api.create('subscription', { user, list });
      return user;
    };
    const [kept, left] = [await api.create('list', { name: 'Kept' }), await api.create('list', { name: 'Left' })];
    const primary = await on('stays@example.org', [kept, left]);
    const users = [await on('same@example.org', [left]), await on('too@example.org', [kept])];
    const { id } = await listen(['unsubscribe']);
    await merge(api.pool, idIn(primary), users.map(idIn), [idIn(kept)]);
    equal((await deliver(id)).delivered, 1);
    const told = await api.read(JSON.parse(heard[0]!.body).data.subscriptionhistory);
    deepEqual([told.user, told.list, told.change], [primary, left, 'unsubscribe_merge']);
    await merge(api.pool, idIn(primary), [idIn(await on('last@example.org', [kept]))], []);
    equal((await deliver(id)).delivered, 1);
    equal((await api.read(JSON.parse(heard[1]!.body).data.subscriptionhistory)).list, kept);
  });

  it('are tried again with growing pauses, all that wait put off together, and given up after three days', async () => {
    const { id } = await listen(['action']);
    await act('one@example.org');
    await act('two@example.org');
    answer = 503;
    deepEqual(await deliver(id), { delivered: 0, more: false });
    equal(heard.length, 1, 'who is away is asked once');
    const waiting = await deliveries('status=pending');
    deepEqual(
      waiting.map(({ attempts, last_error }: Record<string, unknown>) => [attempts, last_error]),
      [
        [1, 'it answered 503'],
        [0, ''],
      ],
    );
    equal(waiting[0].next_at, waiting[1].next_at);
    equal((await deliver(id)).delivered + heard.length, 1, 'nothing is due');
    const pauseOf = async () =>
      (await api.pool.query('select extract(epoch from next_at - tried_at)::int as s from core_webhookdelivery order by id limit 1'))
        .rows[0].s;
    equal(await pauseOf(), 10);
    const due = () => api.pool.query('update core_webhookdelivery set next_at = now()');
    await due();
    await deliver(id);
    equal(await pauseOf(), 20);
    await api.pool.query(
      `update core_webhookdelivery set created_at = now() - interval '73 hours', asked_at = now() - interval '73 hours', next_at = now()`,
    );
    await deliver(id);
    const failed = await deliveries('status=failed');
    deepEqual(
      failed.map(({ last_status, last_error }: Record<string, unknown>) => [last_status, last_error]),
      [
        [503, 'it answered 503'],
        [null, 'it answered 503'],
      ],
      'all that are as old, by one that was tried',
    );
    answer = 200;
    for (const { resource_uri } of failed) equal((await api.call('POST', `${resource_uri}retry/`)).statusCode, 202);
    await due();
    equal((await deliver(id)).delivered, 2);
    equal((await api.call('POST', '/rest/v1/webhookdelivery/999999/retry/')).statusCode, 404);
  });

  it('are told of what happens after a failure as it comes, while what waited then goes on waiting', async () => {
    const { id } = await listen(['action']);
    for (const name of ['first', 'second']) await act(`${name}@example.org`);
    answer = 503;
    await deliver(id);
    await api.pool.query(`update core_webhookdelivery set next_at = now() + interval '1 hour'`);
    const { action_id } = (await act('third@example.org')).json();
    answer = 204;
    equal((await deliver(id)).delivered, 1);
    equal(JSON.parse(heard.at(-1)!.body).data.action, `/rest/v1/action/${action_id}/`);
    equal((await deliveries('status=pending')).length, 2);
  });

  it('are told when it happened also where they are asked to try again days later, and have three days for it', async () => {
    const { id } = await listen(['action']);
    for (const name of ['old', 'older']) await act(`${name}@example.org`);
    await api.pool.query(
      `update core_webhookdelivery set created_at = now() - interval '9 days', asked_at = now() - interval '9 days', attempts = 80,
         status = case when id = (select min(id) from core_webhookdelivery) then 'failed' else 'delivered' end`,
    );
    const before = await deliveries();
    for (const { resource_uri } of before) await api.call('POST', `${resource_uri}retry/`);
    answer = 500;
    await deliver(id);
    const waiting = await deliveries();
    deepEqual(
      waiting.map(({ status, created_at }: Record<string, unknown>) => [status, created_at]),
      before.map(({ created_at }: Record<string, unknown>) => ['pending', created_at]),
    );
    answer = 204;
    await api.pool.query('update core_webhookdelivery set next_at = now()');
    equal((await deliver(id)).delivered, 2);
    for (const { body } of heard) equal(JSON.parse(body).created_at, before[0].created_at);
  });

  it('have one refusal stand alone, follow no redirect, and stop when they are switched off', async () => {
    const { id, uri } = await listen(['action']);
    await act('three@example.org');
    await act('four@example.org');
    answer = 400;
    await deliver(id);
    equal(heard.length, 2, 'what it does not like of one says nothing of the next');
    await api.pool.query('update core_webhookdelivery set next_at = now()');
    answer = 302;
    await deliver(id);
    deepEqual(heard.map(({ headers }) => headers.host).length, 3, 'a redirect is an answer like any other');
    await api.call('PATCH', uri, { active: false });
    await api.pool.query('update core_webhookdelivery set next_at = now()');
    deepEqual(await deliver(id), { delivered: 0, more: false });
    await act('five@example.org');
    equal((await deliveries()).length, 2, 'and are told of nothing then');
  });

  it('reach nothing of this network unless WEBHOOKS_INSIDE allows it', async () => {
    const { id, uri } = await listen(['action']);
    await act('six@example.org');
    await deliver(id, {});
    equal(heard.length, 0);
    match((await deliveries())[0].last_error, /127\.0\.0\.1 is an address of this network/);
    await api.call('PATCH', uri, { url: url.replace('127.0.0.1', 'localhost') });
    await api.pool.query('update core_webhookdelivery set next_at = now()');
    await deliver(id, {});
    equal(heard.length, 0);
    match((await deliveries())[0].last_error, /localhost is an address of this network/);
    for (const inside of [
      '127.0.0.1',
      '10.1.2.3',
      '172.31.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
    ])
      equal(isOutside(inside), false, inside);
    for (const inside of ['::1', '::', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::', '2001:db8::1', 'ff02::1'])
      equal(isOutside(inside), false, inside);
    for (const outside of ['8.8.8.8', '172.32.0.1', '2606:4700::1111']) ok(isOutside(outside), outside);
  });

  it('are refused with an address, an event or a secret that cannot be used, and never show the secret', async () => {
    const strict = await startApi();
    try {
      const post = (more: object) =>
        strict.call('POST', '/rest/v1/webhook/', { url: 'https://example.org/', events: ['action'], secret: SECRET, ...more });
      for (const [field, value] of [
        ['url', 'http://127.0.0.1/'],
        ['url', 'http://[::1]/'],
        ['url', 'http://2130706433/'],
        ['url', 'http://169.254.169.254/latest/meta-data/'],
        ['url', 'ftp://example.org/'],
        ['url', 'https://user:password@example.org/'],
        ['url', 'nonsense'],
        ['events', []],
        ['events', ['everything']],
        ['secret', 'short'],
        ['secret', 'whsec_short'],
      ] as const) {
        const refused = await post({ [field]: value });
        deepEqual([refused.statusCode, Object.keys(refused.json().webhook ?? {})], [400, [field]], JSON.stringify(value));
      }
      equal((await post({ secret: undefined })).statusCode, 400);
      const made = await post({});
      equal(made.statusCode, 201, made.body);
      const shown = await strict.read(String(made.headers.location).slice(strict.env.BASE_URL.length));
      ok(!('secret' in shown));
      equal((await strict.call('PATCH', shown.resource_uri, { ...shown, description: 'x' })).statusCode, 202);
      const { rows } = await strict.pool.query('select secret from core_webhook');
      ok(!rows[0].secret.includes(KEY.toString('base64').slice(0, 20)));
      equal(
        (await strict.call('GET', '/rest/v1/webhook/', undefined, { authorization: basic({ username: 'x', password: 'y' }) })).statusCode,
        401,
      );
    } finally {
      await strict.close();
    }
  });

  it('are delivered by a run of their own, which the sweep starts', async () => {
    const { id } = await listen(['action']);
    await act('seven@example.org');
    const place = await createNamespace();
    const worker = await runWorker(place, { DATABASE_URL: api.databaseUrl, WEBHOOKS_INSIDE: 'true' }, { relay: new ScriptedRelay(1) });
    const handle = await place.client.workflow.start('sweep', {
      workflowId: 'sweep',
      taskQueue: TASK_QUEUE.campaign,
      args: [{ looks: 1 }],
    });
    await handle.result();
    while (!heard.length) await sleep(50);
    const run = place.client.workflow.getHandle(`webhook-${id}-deliver`);
    await run.result();
    const text = JSON.stringify(await run.fetchHistory());
    ok(!text.includes('seven') && !text.includes('127.0.0.1:'), 'its history names nobody and no address');
    equal((await deliveries())[0].status, 'delivered');
    await worker.stop();
  });
});
