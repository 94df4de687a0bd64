import assert from 'node:assert/strict';
import { placeInJson } from '../../api/plugins/json-place.ts';
import { JSON_AT_ONCE } from '../../domain/json-numbers.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { processorMs } from '../support/processor-time.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('whoever sends what cannot be read', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const toldOf = async (body: string, type = JSON_TYPE, url = '/rest/v1/tag/') => {
    const answer = await api.call('POST', url, body, type);
    return [answer.statusCode, answer.json().errors.body?.[0]];
  };

  it('hears where a text stops being JSON, and what is expected there', async () => {
    for (const [body, place] of [
      ['{"name": climate}', 'line 1, column 10, at “climate}”: a value is expected here'],
      ["{'name': 1}", "line 1, column 2, at “'name': 1}”: a name in double quotes or } is expected here"],
      ['{\n  "name": "climate",\n}', 'line 3, column 1, at “}”: a name in double quotes is expected here'],
      ['{"name" "climate"}', 'line 1, column 9, at “"climate"}”: a colon is expected here'],
      ['{"a": [1, 2}', 'line 1, column 12, at “}”: a comma or ] is expected here'],
      ['{"a": 01}', 'line 1, column 7, at “01}”: a value is expected here'],
      ['{"a": "not\\x"}', 'line 1, column 7, at “"not\\x"}”: a value is expected here'],
      [
        '{"a": 1} and more of it that nobody asked for',
        'line 1, column 10, at “and more of it that nobody ask…”: nothing more is expected here',
      ],
    ])
      assert.deepEqual(await toldOf(body!), [400, `This is not JSON: ${place}.`]);
    assert.deepEqual(await toldOf('{"name": '), [400, 'This is not JSON.'], 'it only ends too early');
  });

  it('hears which name is not taken of what is JSON', async () => {
    for (const body of ['{"name": "a", "__proto__": {"x": 1}}', '{"name": {"a": [{"\\u005f_proto__": 1}]}}'])
      assert.deepEqual(await toldOf(body), [400, 'No field may be named __proto__.']);
    assert.match((await toldOf('{"__proto__": nothing}'))[1], /^This is not JSON: line 1, column 15/);
  });

  it('is told a place for exactly what the parser refuses', () => {
    const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"\\u00e9"', '1', '-0.5e3', '01', 'true', 'nul', ' ', '\n', '"', '\\'];
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let nth = 0; nth < 20_000; nth++) {
      const text = Array.from({ length: 1 + random(9) }, () => pieces[random(pieces.length)]).join('');
      const refused = (() => {
        try {
          JSON.parse(text);
          return false;
        } catch {
          return true;
        }
      })();
      if (!refused) assert.equal(placeInJson(text), null, text);
      else if (placeInJson(text) === null) assert.throws(() => JSON.parse(text), /end of JSON|Expected|Unexpected/, text);
    }
  });

  it('hears of a long text only that it is no JSON, and holds nobody up', async () => {
    for (const long of [
      `["${'\\n'.repeat(4_900_000)}`,
      `["${'\\u00e9'.repeat(700_000)}\\x"]`,
      `${'\n'.repeat(4_000_000)}x`,
      `[${'1,'.repeat(199_000)}x`,
      `{"a": "${'x'.repeat(4_000_000)}`,
    ])
      assert.deepEqual(await toldOf(long), [400, 'This is not JSON.'], long.slice(0, 20));
    // As long as any that is told a place.
    const most = JSON_AT_ONCE;
    for (const piece of ['\\n', '\\u00e9', '\n', '1,', '"\\n",', 'x', '[]']) {
      for (const begin of ['["', '[', ''])
        for (const end of ['', '\\x"]', 'x']) {
          const text = `${begin}${piece.repeat((most - 10) / piece.length)}${end}`;
          assert.ok(processorMs(() => placeInJson(text)) < 100, text.slice(0, 20));
        }
    }
  });

  it('hears which content types are taken, whatever the type is', async () => {
    const both = 'This content type is not taken here. Taken: application/json, application/x-www-form-urlencoded.';
    for (const type of ['text/csv', 'no type at all', 'application/xml; charset=utf-8', 'multipart/form-data; boundary=b'])
      assert.deepEqual(await toldOf('x', { 'content-type': type }), [415, both], type);
    const jsonOnly = 'This content type is not taken here. Taken: application/json.';
    assert.deepEqual(await toldOf('x', { 'content-type': 'text/csv' }, '/rest/v1/donationpush/'), [415, jsonOnly]);
    const three = /Taken: application\/json, application\/x-www-form-urlencoded, multipart\/form-data\.$/;
    assert.match((await toldOf('x', { 'content-type': 'text/csv' }, '/rest/v1/action/'))[1] as string, three);
  });

  it('hears where a template is wrong, and around which words', async () => {
    const html = '<h1>News</h1>\n<p>Dear {{ user.first_name </p>\n<p>more</p>';
    const answer = await api.call('POST', '/rest/v1/mailer/', { subjects: ['Hello'], html, fromline: '"News" <news@example.org>' });
    assert.equal(answer.statusCode, 400);
    assert.deepEqual(answer.json(), {
      errors: { html: ['line 2, column 9, at “{{ user.first_name </p>”: {{ is not closed with }}'] },
    });
  });
});
