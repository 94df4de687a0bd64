import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startApi, type TestApi } from '../support/api.ts';
import { everyTurnMs } from '../support/processor-time.ts';

describe('what is as long as may be', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('queryreport', { name: 'All', short_name: 'all', sql: 'select 1' });
  });
  after(() => api.close());

  /** Each is refused, and nobody waits for that. */
  async function isRefused(path: string, type: string, bodies: Record<string, string>): Promise<void> {
    for (const [what, body] of Object.entries(bodies)) {
      const held = await everyTurnMs(100, async () => {
        const answer = await api.call('POST', `/rest/v1/${path}/`, body, { 'content-type': type });
        assert.equal(answer.statusCode, 400, `${what}: ${answer.body.slice(0, 200)}`);
      });
      assert.ok(held < 100, `${what}: ${Math.round(held)} ms`);
    }
  }

  it('holds nobody up in a form, whatever is written in it in whatever way', async () => {
    const MOST = 1024 * 1024;
    await isRefused('usergroup', 'application/x-www-form-urlencoded', {
      blanks: `q=${'+'.repeat(MOST - 2)}`,
      escapes: `q=${'%c3%a9'.repeat(MOST / 6 - 1)}`,
      'names that are escaped': Array.from({ length: 9_000 }, (_, n) => `${'%41'.repeat(30)}${n}=${'+'.repeat(10)}`).join('&'),
    });
  });

  it('holds nobody up as an address of a form, whoever sends it', async () => {
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.app.server.address() as AddressInfo;
    const path = `http://${'a'.repeat(15_000)}/console/mailings/1/stop`;
    const send = () =>
      new Promise<string | undefined>((resolve, reject) => {
        const answered = (answer: IncomingMessage) => resolve(answer.resume().headers.location);
        request({ host: '127.0.0.1', port, method: 'POST', path, headers: { accept: 'text/html' } }, answered)
          .on('error', reject)
          .end();
      });
    const held = await everyTurnMs(100, async () =>
      assert.equal(await send(), '/console/login?undone=1&next=%2Fconsole%2Fmailings%2F1%2F'),
    );
    assert.ok(held < 100, `${Math.round(held)} ms`);
  });

  it('holds nobody up as an address, as very many, or as parameters that are none', async () => {
    const json = (value: object) => JSON.stringify(value);
    const some = (many: number) => Array.from({ length: many }, (_, n) => `a${n}@b.test`);
    await isRefused('eraser', 'application/json', { 'an address': json({ email: `a@${'ü.'.repeat(2_000_000)}` }) });
    await isRefused('report/background/all', 'application/json', {
      'addresses in a text': json({ email_to: some(700_000).join(',') }),
      'addresses in a list': json({ email_to: some(190_000) }),
    });
    const places = Object.fromEntries(Array.from({ length: 19_000 }, (_, n) => [`p${n}`, {}]));
    await isRefused('report/run/all', 'application/json', { parameters: json(places) });
  });

  it('holds nobody up as users of a mailing, each with a domain of their own beyond ASCII', async () => {
    const users = Array.from({ length: 90_000 }, (_, n) => `ä${n}@bücher${n}.test`);
    await isRefused('mailer', 'application/json', {
      included: JSON.stringify({ subjects: ['a'], includes: { users } }),
      'to be made up as': JSON.stringify({ subjects: ['a'], proof_users: users }),
    });
  });

  it('holds nobody up as subjects of a mailing that is read or changed', async () => {
    const subjects = Array.from({ length: 9 }, (_, n) => `${'"a'.repeat(49_990)}${n}`);
    const mailing = await api.create('mailer', { subjects, preview_text: ['"b'.repeat(400)], html: '<p>x</p>', text: 'x' });
    for (const [method, change] of [
      ['GET', undefined],
      ['PATCH', { notes: 'x' }],
      ['PATCH', { html: '<p>y</p>' }],
    ] as const) {
      const held = await everyTurnMs(40, async () => {
        assert.equal((await api.call(method, mailing, change)).statusCode, method === 'GET' ? 200 : 202);
      });
      assert.ok(held < 40, `${method}: ${Math.round(held)} ms`);
    }
    assert.deepEqual((await api.read(mailing)).subjects, subjects);
  });

  it('holds nobody up as places, each of them a city in a spelling of its own', async () => {
    const marked = (n: number) => [...'saint petersburg'].map((letter, at) => letter + ((n >> at) & 1 ? '\u0301' : '')).join('');
    const zips = Array.from({ length: 65_000 }, (_, n) => `${marked(n)}, FL`);
    await api.create('mailer', { subjects: ['a'], includes: { zips: [zips[0], 'Albany, NY'] } });
    const held = await everyTurnMs(100, async () => {
      const mailing = await api.create('mailer', {
        subjects: ['a'],
        includes: { zips: [...zips, 'Albany, NY', 'ALBANY, NY'], zip_radius: 500 },
      });
      assert.deepEqual((await api.read(mailing)).includes.zips, [zips[0], 'Albany, NY']);
    });
    assert.ok(held < 100, `${Math.round(held)} ms`);
  });

  it('holds nobody up as relations, where all are named, half of them, or all again', async () => {
    const { rows } = await api.pool.query(
      `insert into core_tag (name) select 'of many ' || n from generate_series(1, 10000) n returning id`,
    );
    const tags = rows.map(({ id }) => id as number);
    const page = await api.create('signuppage', { name: 'of-many', tags });
    const stamp = async () => (await api.call('GET', page)).json();
    const [half, all] = [tags.slice(5000), await stamp()];
    assert.equal(all.tags.length, 10_000);
    await api.pool.query(`update core_page set updated_at = now() - interval '1 day'`);
    const before = (await stamp()).updated_at;
    for (const [what, sent] of Object.entries({ all: tags, half, 'all again': tags })) {
      const held = await everyTurnMs(100, async () => {
        assert.equal((await api.call('PATCH', page, { tags: sent })).statusCode, 202);
      });
      assert.ok(held < 100, `${what}: ${Math.round(held)} ms`);
      assert.equal((await stamp()).updated_at === before, what === 'all');
      assert.equal((await stamp()).tags.length, sent.length);
    }
  });
});
