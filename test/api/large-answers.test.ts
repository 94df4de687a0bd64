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
      const held = await everyTurnMs(async () => {
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

  it('is a text as any other where it is small', async () => {
    const answer = await get('/rest/v1/list/');
    deepEqual([answer.statusCode, answer.json().objects], [200, []]);
    equal(answer.body, JSON.stringify(answer.json()));
    equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  });
});
