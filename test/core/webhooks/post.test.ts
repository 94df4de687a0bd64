import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { checkLinks } from '../../../core/mailings/check-links.ts';
import { post } from '../../../core/webhooks/post.ts';

describe('an address of somebody else’s', () => {
  let server: Server;
  let address: string;
  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (asked) => {
        if (String(asked).includes('/another-protocol'))
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
        else if (String(asked).includes('/silence')) socket.end();
        else socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it('that answers with another protocol, or not at all, has failed at once', async () => {
    for (const path of ['another-protocol', 'silence']) {
      const { status, error } = await post(new URL(`http://${address}/${path}`), '{}', {}, { anywhere: true });
      assert.equal(status, null);
      assert.match(error, /^the connection /, path);
    }
  });

  it('is asked as a link without the user name that stands in it', async () => {
    const urls = [`http://%ff:secret@${address}/`, `http://${address}/another-protocol`];
    const { checked } = await checkLinks(urls, { anywhere: true });
    assert.deepEqual(
      checked.map(({ url, problem }) => [url, problem !== null]),
      [
        [urls[0], false],
        [urls[1], true],
      ],
    );
  });
});
