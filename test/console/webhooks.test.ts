import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';

describe('webhooks in the console', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let hook: number;
  let other: number;

  const listening = async (url: string) => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const uri = await api.create('webhook', { url, events: ['action'], secret });
    return Number(uri.split('/').at(-2));
  };

  before(async () => {
    api = await startApi({});
    hook = await listening('https://example.org/<hook>');
    other = await listening('https://example.org/other');
    await api.pool.query(
      `insert into core_webhookdelivery (webhook_id, event, resource, resource_id, status, attempts, last_status, last_error, tried_at)
       select $1, 'action', 'action', n, case when n <= 2 then 'failed' when n = 3 then 'pending' else 'delivered' end, 1,
         case when n <= 2 then 410 else 204 end, case when n <= 2 then 'it answered 410' else '' end, now() from generate_series(1, 60) n`,
      [hook],
    );
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());

  const at = (path = '') => `/console/webhooks/${hook}/${path}`;
  const numbers = (body: string) => [...body.matchAll(/name="delivery" value="(\d+)"/g)].map(([, id]) => Number(id));

  it('are listed with what became of their deliveries', async () => {
    const { body } = await visitor.get('/console/webhooks/');
    match(
      body,
      /https:\/\/example\.org\/&lt;hook&gt;<\/a><\/td><td>action<\/td><td class="n">1<\/td><td class="n">57<\/td><td class="n">2<\/td>/,
    );
    match(body, /other<\/a><\/td><td>action<\/td><td class="n">0<\/td>/);
  });

  it('are all listed, a page after the other, and counted over all pages', async () => {
    await api.pool.query(
      `insert into core_webhook (url, events, active, secret) select 'https://example.org/many' || n, '["action"]', n > 5, w.secret
       from generate_series(1, 118) n, core_webhook w where w.id = $1`,
      [other],
    );
    const shown: string[] = [];
    let pages = 0;
    for (let next: string | undefined = '/console/webhooks/'; next; pages++) {
      const { body } = await visitor.get(next);
      match(body, /115 <span>of 120 addresses told/);
      shown.push(...[...body.matchAll(/href="\/console\/webhooks\/(\d+)\/"/g)].map(([, id]) => id!));
      next = /href="([^"]+)" rel="next"/.exec(body)?.[1];
    }
    deepEqual([pages, shown.length, new Set(shown).size], [3, 120, 120]);
    match((await visitor.get('/console/webhooks/?before=1')).body, /There are no older ones\./);
    await api.pool.query(`delete from core_webhook where url like 'https://example.org/many%'`);
  });

  it('show each delivery, page by page and by how it stands', async () => {
    const first = await visitor.get(at());
    const next = /href="([^"]+)" rel="next"/.exec(first.body)![1]!;
    const second = await visitor.get(next.replaceAll('&amp;', '&'));
    deepEqual([numbers(first.body).length, numbers(second.body).length], [50, 10]);
    equal(new Set([...numbers(first.body), ...numbers(second.body)]).size, 60);
    doesNotMatch(second.body, /rel="next"/);
    const failed = await visitor.get(at('?status=failed'));
    deepEqual([numbers(failed.body).length, failed.body.match(/it answered 410/g)?.length], [2, 2]);
    for (const query of ['?status=<b>', '?before=9e9', '?before=99999999999999999999', '?before=%00'])
      equal((await visitor.get(at(query))).statusCode, 200, query);
    equal((await visitor.get('/console/webhooks/4000000000/')).statusCode, 404);
  });

  it('say of which deliveries their numbers are, where there are more', async () => {
    const words = /The numbers are those of the last 1,000 deliveries\./;
    doesNotMatch((await visitor.get(at())).body, words);
    const busy = await listening('https://example.org/busy');
    await api.pool.query(
      `insert into core_webhookdelivery (webhook_id, event, resource, resource_id, status) select $1, 'action', 'action', n, 'delivered' from generate_series(1, 1001) n`,
      [busy],
    );
    const { body } = await visitor.get(`/console/webhooks/${busy}/`);
    match(body, />All <span>1,000<\/span>/);
    match(body, words);
  });

  it('have one that was given up tried again, if it is theirs', async () => {
    const [given] = numbers((await visitor.get(at('?status=failed'))).body);
    const answer = await visitor.submit(at(`?status=failed`), at('retry'), { delivery: String(given) });
    // Whoever goes through what failed is still there.
    deepEqual([answer.statusCode, answer.headers.location], [303, at('?status=failed')]);
    equal((await api.read(`/rest/v1/webhookdelivery/${given}/`)).status, 'pending');
    const older = `?status=delivered&before=${numbers((await visitor.get(at('?status=delivered'))).body).at(-1)}`;
    const [last] = numbers((await visitor.get(at(older))).body);
    equal((await visitor.submit(at(older), at('retry'), { delivery: String(last) })).headers.location, at(older));
    const token = visitor.token(await visitor.get(at()));
    const forged = { _csrf: token, delivery: String(last), status: 'failed\r\nX: 1', before: '-1' };
    equal((await visitor.post(at('retry'), forged)).headers.location, at());
    equal((await visitor.post(`/console/webhooks/${other}/retry`, { _csrf: token, delivery: String(given) })).statusCode, 404);
    for (const delivery of ['', '-1', '1e3', '99999999999999999999']) {
      const refused = await visitor.post(at('retry'), { _csrf: token, delivery });
      equal(refused.statusCode, 400, delivery);
      match(refused.body, new RegExp(`<a href="${at()}">Back</a>`));
    }
    match((await visitor.get('/console/webhooks/4000000000/')).body, /<a href="\/console\/webhooks\/">Back<\/a>/);
  });
});
