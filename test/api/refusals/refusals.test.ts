import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApi, type TestApi } from '../../support/api.ts';
import { type Request, refusedRequests } from './requests.ts';

// What clients get when they are refused: the status, the field and the sentence. They read them, so none may change unless it is meant to.
// `RECORD_REFUSALS=1` writes the answers of now in place of those recorded; each difference is then to be looked at.

interface Refusal {
  request: Request;
  status: number;
  answer: unknown;
}

const FILE = join(import.meta.dirname, 'recorded.json');

describe('what clients are refused with', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await api.create('signuppage', { name: 'join', list: '/rest/v1/list/1/' });
    await api.create('user', { email: 'known@example.org' });
    await api.create('mailer', { subjects: ['Hello'], html: '<p>Hello</p>', fromline: '"News" <news@example.org>' });
  });
  after(() => api.close());

  const answerTo = async ({ method, url, body, type }: Request): Promise<Omit<Refusal, 'request'>> => {
    const { statusCode, body: text } = await api.call(method, url, body, type ? { 'content-type': type } : {});
    const isJson = text.startsWith('{') || text.startsWith('[') || text.startsWith('"');
    return { status: statusCode, answer: isJson ? JSON.parse(text) : text.slice(0, 200) };
  };

  it('has not changed', async () => {
    if (process.env['RECORD_REFUSALS'] || !existsSync(FILE)) {
      const refusals: Refusal[] = [];
      for (const request of await refusedRequests(api)) {
        const answer = await answerTo(request);
        if (answer.status >= 400) refusals.push({ request, ...answer });
      }
      writeFileSync(FILE, `[\n${refusals.map((refusal) => JSON.stringify(refusal)).join(',\n')}\n]\n`);
    }
    const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Refusal[];
    assert.ok(recorded.length >= 300, `only ${recorded.length} are recorded`);
    const changed: object[] = [];
    for (const { request, ...before } of recorded) {
      const now = await answerTo(request);
      if (JSON.stringify(now) !== JSON.stringify(before)) changed.push({ request, before, now });
    }
    assert.deepEqual(changed, []);
  });
});
