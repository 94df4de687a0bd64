import { equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpCrm } from '../../../core/crm/http-crm.ts';
import { everyTurnMs } from '../../support/processor-time.ts';

const LIMIT = 1024 * 1024;

describe('an answer of a CRM that is all small values', () => {
  for (const first of ['1', '9007199254740993'])
    it(`of which the first is ${first}, has others wait for no more than a moment`, async () => {
      const body = Buffer.from(`{"ids":[${first}${',1'.repeat(500_000)}]}`);
      ok(body.length < LIMIT);
      const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
      try {
        await once(server, 'listening');
        const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const crm = httpCrm({ baseUrl, headers: {}, timeoutMs: 60_000, bodyLimit: LIMIT });
        const longest = await everyTurnMs(250, async () => equal(await crm.findByRef('any'), first));
        ok(longest < 250, `${longest} ms`);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
});
