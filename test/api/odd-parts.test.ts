import assert from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';

describe('what no browser sends', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('importpage', { name: 'import' });
    await api.create('queryreport', { name: 'All', short_name: 'all', sql: 'select 1' });
  });
  after(() => api.close());

  const TYPE = { 'content-type': 'multipart/form-data; boundary=b' };
  const part = (name: string, more: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
  const BYTES = '\r\nContent-Type: application/octet-stream';
  const JSON_PART = '\r\nContent-Type: application/json';

  it('a file without a name, is a file', async () => {
    const body = (field: string) => `${part('page', '', 'import')}${part(field, BYTES, 'email\nann@example.org')}--b--\r\n`;
    const uploaded = await api.call('POST', '/rest/v1/upload/', body('upload'), TYPE);
    assert.equal(uploaded.statusCode, 201, uploaded.body);
    const upload = await api.read(String(uploaded.headers.location).slice(api.env.BASE_URL.length));
    assert.deepEqual([upload.filename, upload.line_count], ['', 1]);

    const merged = await api.call('POST', '/rest/v1/mergefile/', body('file'), TYPE);
    assert.equal(merged.statusCode, 201, merged.body);
    assert.equal((await api.read(String(merged.headers.location).slice(api.env.BASE_URL.length))).filename, '');

    const visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    const token = visitor.token(await visitor.get('/console/imports/'));
    const form = `${part('_csrf', '', token)}${part('upload', BYTES, 'email\nann@example.org')}--b--\r\n`;
    const sent = await api.call('POST', '/console/imports/', form, { ...TYPE, cookie: visitor.cookie, authorization: '' });
    assert.equal(sent.statusCode, 400, sent.body);
    assert.match(sent.body, /Choose a file first/);
    const odd = `${part('_csrf', JSON_PART, '{"toString":1}')}${part('upload', BYTES, 'email')}--b--\r\n`;
    const forged = await api.call('POST', '/console/imports/', odd, { ...TYPE, cookie: visitor.cookie, authorization: '' });
    assert.equal(forged.statusCode, 403);
  });

  it('an object in place of a text, is refused', async () => {
    for (const object of ['{"toString":1,"valueOf":1}', '[{"toString":1}]', 'null', '{']) {
      for (const [path, fields] of [
        ['upload', ['page', 'autocreate_user_fields']],
        ['mergefile', ['name']],
      ] as const) {
        for (const field of fields) {
          const good = field === 'page' || path === 'mergefile' ? '' : part('page', '', 'import');
          const file = part(path === 'upload' ? 'upload' : 'file', '; filename="a.csv"', 'email\nann@example.org');
          const answer = await api.call('POST', `/rest/v1/${path}/`, `${good}${part(field, JSON_PART, object)}${file}--b--\r\n`, TYPE);
          assert.ok(answer.statusCode < 500, `${path} ${field} ${object}: ${answer.statusCode} ${answer.body}`);
        }
      }
    }
    for (const email_to of [[{ toString: 1 }], { toString: 1 }, [[{ toString: 1 }]], [5], [null]]) {
      const answer = await api.call('POST', '/rest/v1/report/background/all/', { email_to });
      assert.equal(answer.statusCode, 400, JSON.stringify(email_to));
      assert.match(answer.body, /email_to/);
    }
    for (const [path, body] of [
      ['report/background/all/', { format: { toString: 1 } }],
      ['report/run/all/', { refresh: { toString: 1 } }],
      ['report/run/all/', { refresh: [{ toString: 1 }] }],
      ['report/run/sql/', { query: { toString: 1 }, dialect: [{ toString: 1 }] }],
    ] as const) {
      assert.equal((await api.call('POST', `/rest/v1/${path}`, body)).statusCode, 400, `${path} ${JSON.stringify(body)}`);
    }
    assert.equal((await api.call('POST', '/rest/v1/report/background/all/', { email_to: ' a@example.org,, ' })).statusCode, 201);
  });
});
