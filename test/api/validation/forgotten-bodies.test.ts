import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startApi, type TestApi } from '../../support/api.ts';
import { collectGarbage } from '../../support/processor-time.ts';

/** Refused in many ways: by a standard keyword, by a reader, for a name nobody knows, for what is missing. */
const REFUSED = [
  { name: 7 },
  { created_at: {} },
  { lists: [{}], users: [{}], includes: 7 },
  { nobody: 'x' },
  {},
  { email: 'x', page: 7, amount: [] },
];

describe('a body that was refused', () => {
  const bodies: { url: string; body: WeakRef<object> }[] = [];
  let api: TestApi;
  const urls: string[] = [];

  before(async () => {
    api = await startApi({}, (app) => {
      app.addHook('onRoute', ({ method, url, schema }) => {
        if ([method].flat().includes('POST') && url.startsWith('/rest/') && (schema as { body?: object } | undefined)?.body) urls.push(url);
      });
      app.addHook('preValidation', async ({ url, body }) => {
        if (typeof body === 'object' && body !== null) bodies.push({ url, body: new WeakRef(body) });
      });
    });
  });
  after(() => api.close());

  it('is not kept until another one comes: there are hundreds of routes, and a body may have ten megabytes', async () => {
    let refused = 0;
    for (const url of urls)
      for (const body of REFUSED) {
        const answer = await api.call('POST', url.replace(/:\w+/g, '1'), { ...body, more: 'x'.repeat(100) });
        if (answer.statusCode === 400) refused++;
      }
    assert.ok(urls.length > 50 && refused > 200, `${refused} of ${urls.length} routes`);
    // What is looked at through a reference of this kind stays for the rest of its turn.
    await nextTurn();
    collectGarbage();
    await nextTurn();
    collectGarbage();
    const kept = bodies.filter(({ body }) => body.deref() !== undefined).map(({ url }) => url);
    assert.ok(kept.length <= 5, `${kept.length} of ${bodies.length} are kept: ${[...new Set(kept)].slice(0, 20)}`);
  });
});
