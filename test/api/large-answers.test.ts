import { deepEqual, equal, ok } from 'node:assert/strict';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { everyTurnMs } from '../support/processor-time.ts';

const MAILINGS = 25;

describe('a page of large objects', () => {
  let api: TestApi;
  const get = (url: string) => api.app.inject({ url, headers: { authorization: basic() } });

  before(async () => {
    api = await startApi();
    await api.pool.query(
      `insert into core_mailing (html, text) select n || repeat('<p class="x">wörd</p>', 22000), repeat('word ', 99000) from generate_series(1, $1) n`,
      [MAILINGS],
    );
    await get('/rest/v1/mailer/?_limit=2');
  });
  after(() => api.close());

  const ids = Array.from({ length: MAILINGS }, (_, n) => n + 1);
  const urls = ['/rest/v1/mailer/?_limit=100', `/rest/v1/mailer/set/${ids.join(';')};999/`];

  it('is written while others have their turn', async () => {
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    for (const url of urls) {
      let bytes = 0;
      const held = await everyTurnMs(100, async () => {
        const answer = await fetch(address + url, { headers: { authorization: basic() } });
        for await (const chunk of answer.body!) bytes += chunk.length;
      });
      ok(bytes > MAILINGS * 900_000, `${url}: ${bytes}`);
      ok(held < 100, `${url} held the others for ${Math.round(held)} ms`);
    }
  });

  it('is what it would be in one go', async () => {
    for (const url of urls) {
      const answer = await get(url);
      equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      equal(Number(answer.headers['content-length']), answer.rawPayload.length);
      const body = answer.json();
      equal(answer.body, JSON.stringify(body));
      deepEqual(
        body.objects.map((each: { id: number; html: string }) => [each.id, each.html.length, each.html.slice(-4)]),
        ids.map((id) => [id, String(id).length + 22_000 * 21, '</p>']),
      );
      if ('not_found' in body) deepEqual(body.not_found, ['999']);
      else equal(body.meta.total_count, MAILINGS);
    }
  });

  it('is refused where mailings name more people and places than an answer may hold; fewer of them, and each, are read', async () => {
    await api.pool.query(
      `with counties as (select jsonb_agg('County ' || repeat('x', 180) || n) as named from generate_series(1, 40000) n)
       insert into core_mailing (notes, includes) select 'large', jsonb_build_object('counties', named) from counties, generate_series(1, 8)`,
    );
    const large = (await get('/rest/v1/mailing/?notes=large')).json().objects.map(({ id }: { id: number }) => id);
    for (const url of ['/rest/v1/mailer/?notes=large', `/rest/v1/mailer/set/${large.join(';')}/`]) {
      const answer = await get(url);
      deepEqual([answer.statusCode, Object.keys(answer.json().errors)], [400, ['_limit']], url);
    }
    const some = await get('/rest/v1/mailer/?notes=large&_limit=4');
    deepEqual([some.statusCode, some.json().objects[3].includes.counties.length], [200, 40_000]);
    equal((await get(`/rest/v1/mailer/${large[0]}/`)).json().includes.counties.length, 40_000);
  });

  it('is a text as any other where it is small', async () => {
    const answer = await get('/rest/v1/list/');
    deepEqual([answer.statusCode, answer.json().objects], [200, []]);
    equal(answer.body, JSON.stringify(answer.json()));
    equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  });
});
