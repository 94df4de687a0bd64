import assert from 'node:assert/strict';
import { startApi } from '../support/api.ts';

describe('X-Forwarded-For', () => {
  it('is believed no further than to the last word in it that is no address', async () => {
    for (const setting of ['true', '127.0.0.0/8, 10.0.0.0/8']) {
      let seen = '';
      const proxied = await startApi({ TRUST_PROXY: setting }, (app) =>
        app.addHook('onRequest', async (request) => {
          seen = request.ip;
        }),
      );
      for (const [forwarded, address] of [
        ['<b>nobody</b>', '127.0.0.1'],
        ['', '127.0.0.1'],
        ['192.0.2.7, unknown', '127.0.0.1'],
        ['192.0.2.7, unknown, 203.0.113.9', '203.0.113.9'],
        ['203.0.113.999, 203.0.113.9:50001,', '203.0.113.9'],
        ['_hidden, [2001:db8::1]:1', '2001:db8::1'],
      ] as const) {
        await proxied.call('GET', '/health/live', undefined, { 'x-forwarded-for': forwarded });
        assert.equal(seen, address, `${setting}: ${forwarded}`);
      }
      await proxied.close();
    }
  });
});
