import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../support/api.ts';
import { everyTurnMs } from '../support/processor-time.ts';

describe('a form as long as may be', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const MOST = 1024 * 1024;
  const named = Array.from({ length: 9_000 }, (_, n) => `${'%41'.repeat(30)}${n}=${'+'.repeat(10)}`).join('&');

  it('holds nobody up, whatever is written in it in whatever way', async () => {
    for (const [what, form] of Object.entries({
      blanks: `q=${'+'.repeat(MOST - 2)}`,
      escapes: `q=${'%c3%a9'.repeat(MOST / 6 - 1)}`,
      'names that are escaped': named,
    })) {
      const held = await everyTurnMs(async () => {
        const answer = await api.call('POST', '/rest/v1/usergroup/', form, { 'content-type': 'application/x-www-form-urlencoded' });
        assert.equal(answer.statusCode, 400, what);
      });
      assert.ok(held < 100, `${what}: ${Math.round(held)} ms`);
    }
  });
});
