import { match } from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { httpCrm } from '../../../core/crm/http-crm.ts';
import { flood } from '../../support/flood.ts';

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const ENDLESS: Record<string, [begin: string, piece: string]> = {
  'interim answers': ['', 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'],
  'blank lines': ['', '\r\n'],
  'the extension of a chunk': [`${CHUNKED}1;`, 'a'],
  'chunks of next to nothing with extensions': [CHUNKED, '1;a=b;a=b;a=b\r\n \r\n'],
  'lines behind it': [`${CHUNKED}0\r\n`, 'x: y\r\n'],
};

describe('an answer of a CRM without end', () => {
  for (const [what, [begin, piece]] of Object.entries(ENDLESS))
    it(`is given up soon, not when its time is over: ${what}`, async () => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => {
          socket.write(begin);
          flood(socket, piece);
        });
      }).listen(0, '127.0.0.1');
      try {
        await once(server, 'listening');
        const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const crm = httpCrm({ baseUrl, headers: {}, timeoutMs: 20_000, bodyLimit: 65_536 });
        const failure = await crm.findByRef('any').catch(String);
        match(String(failure), /larger than 65536 bytes|OVERFLOW/);
      } finally {
        server.close();
      }
    });
});
