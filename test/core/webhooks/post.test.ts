import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { checkLinks } from '../../../core/mailings/check-links.ts';
import { post } from '../../../core/webhooks/post.ts';
import { makeAuthority, makeCertificate } from '../../../embedded/certificate.ts';
import { flood } from '../../support/flood.ts';

const HINT = 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n';

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
        else if (String(asked).includes('/hints')) flood(socket, HINT);
        else if (String(asked).includes('/lines')) flood(socket, '\r\n');
        else if (String(asked).includes('/hint')) socket.end(`${HINT.repeat(3)}HTTP/1.1 204 No Content\r\n\r\n`);
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

  it('that sends something without end, and no answer, is given up long before its time is over, and heard after some hints', async () => {
    const heard = (path: string) => post(new URL(`http://${address}/${path}`), '{}', {}, { anywhere: true });
    for (const path of ['hints', 'lines']) assert.equal((await heard(path)).error, '65536 bytes came, and no answer', path);
    assert.equal((await heard('hint')).status, 204);
  });

  it('whose certificate is not believed is told of in words, and reached when it has another', async () => {
    const authority = makeAuthority();
    const believed = getCACertificates('default');
    setDefaultCACertificates([...believed, authority.cert]);
    const secure = createHttpsServer(makeCertificate({ authority, seconds: -1 }), (_request, response) => response.writeHead(204).end());
    await once(secure.listen(0), 'listening');
    const { port } = secure.address() as AddressInfo;
    const said = async (host = '127.0.0.1') => {
      const { status, error } = await post(new URL(`https://${host}:${port}/hook`), '{}', {}, { anywhere: true });
      return status ?? error;
    };
    try {
      assert.equal(await said(), 'the connection failed: its certificate has expired (CERT_HAS_EXPIRED)');
      secure.setSecureContext(makeCertificate());
      assert.equal(
        await said(),
        'the connection failed: its certificate is signed by nobody who is believed here (DEPTH_ZERO_SELF_SIGNED_CERT)',
      );
      secure.setSecureContext(makeCertificate({ authority }));
      assert.equal(
        await said('127.0.0.2'),
        'the connection failed: its certificate is that of another host (ERR_TLS_CERT_ALTNAME_INVALID)',
      );
      assert.equal(await said(), 204);
    } finally {
      setDefaultCACertificates(believed);
      secure.close();
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
