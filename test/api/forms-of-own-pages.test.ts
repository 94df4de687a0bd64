import assert from 'node:assert/strict';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { startBrowser } from '../support/browser.ts';
import { needsChromium } from '../support/visited-console.ts';

/** What somebody may write who may write pages, and no more. */
const LURE = `<meta name="referrer" content="unsafe-url"><form method="post" action="/rest/v1/authuser/">
<input type="hidden" name="username" value="mallory"><input type="hidden" name="password" value="long-enough"><input type="hidden" name="is_superuser" value="true">
<button>Go on</button></form>`;

describe('forms that stand on pages of ours', () => {
  let api: TestApi;
  let origin: string;
  before(async () => {
    api = await startApi();
    origin = await api.app.listen({ port: 0, host: '127.0.0.1' });
  });
  after(() => api.close());

  it('change nothing by the credentials that a browser remembers, however they were put there', async () => {
    const host = 'platform.test';
    const own = { 'content-type': 'application/x-www-form-urlencoded', host, origin: `http://${host}` };
    const takes: Record<string, string> = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };
    for (const form of [{ 'sec-fetch-mode': 'navigate' }, takes]) {
      const answer = await api.call('POST', '/rest/v1/tag/', 'name=lured', { ...own, ...form });
      assert.equal(answer.statusCode, 415, JSON.stringify(form));
    }
    assert.equal((await api.read('/rest/v1/tag/')).meta.total_count, 0);
    const script = await api.call('POST', '/rest/v1/tag/', 'name=meant', { ...own, 'sec-fetch-mode': 'cors' });
    assert.equal(script.statusCode, 201, 'scripts of ours, as those of the API reference');
    const client = await api.call('POST', '/rest/v1/tag/', 'name=client', { 'content-type': own['content-type'], ...takes });
    assert.equal(client.statusCode, 201, 'no browser');
  });

  it('make nobody a superuser, whoever presses their buttons', async function () {
    needsChromium(this);
    await api.create('whipcountpage', { name: 'river', whipcountform: { introduction_text: LURE } });
    const browser = await startBrowser();
    const context = await browser.newContext({ httpCredentials: ADMIN });
    try {
      const page = await context.newPage();
      assert.equal((await page.goto(`${origin}/rest/v1/user/`))?.status(), 200, 'the browser knows the credentials');
      await page.goto(`${origin}/whipcount/river/`);
      const answered = page.waitForResponse((response) => response.request().method() === 'POST' && response.status() !== 401);
      await page.getByRole('button', { name: 'Go on' }).click();
      assert.equal((await answered).status(), 415);
    } finally {
      await context.close();
    }
    assert.equal((await api.read('/rest/v1/authuser/?username=mallory')).meta.total_count, 0);
  });
});
