import { ok } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CrmBusy } from '../../../core/crm/crm.ts';
import { httpCrm } from '../../../core/crm/http-crm.ts';

describe('a CRM that says until when to wait', () => {
  it('says so by its own clock', async () => {
    const ahead = Date.now() + 6 * 3_600_000;
    const server = createServer((_request, response) => {
      response.sendDate = false;
      const at = (moment: number) => new Date(moment).toUTCString();
      response.writeHead(429, { date: at(ahead), 'retry-after': at(ahead + 30_000) }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const crm = httpCrm({ baseUrl, headers: {}, timeoutMs: 30_000, bodyLimit: 1000 });
    const error = await crm.findByRef('any').catch((failure) => failure);
    server.closeAllConnections();
    server.close();
    ok(error instanceof CrmBusy && error.waitMs > 28_000 && error.waitMs < 32_000, `${error.waitMs} ms`);
  });
});
