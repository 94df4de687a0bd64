import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { basic, startApi, type TestApi } from '../support/api.ts';

const CALLERS = 5;
const WITHIN_MS = 10_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('callers who hang up in the middle of a body', () => {
  let api: TestApi;
  let origin: URL;
  const met: WeakRef<object>[] = [];
  before(async () => {
    api = await startApi({ REFUSED_BODY_SECONDS: '3600' }, (app) => {
      app.addHook('onRequest', (request, _reply, done) => {
        met.push(new WeakRef(request.raw));
        done();
      });
      app.addHook('preParsing', (request) => beforeReading(request.raw));
    });
    origin = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
  });
  after(() => api.close());
  /** Whoever has to wait, as for a password to be looked at, before the body is read. */
  let beforeReading: (raw: IncomingMessage) => Promise<void> = async () => {};

  const hangUp = async ([path, headers, body]: readonly [path: string, headers: string, body: string]) => {
    const before = met.length;
    const socket = connect(Number(origin.port), origin.hostname);
    await once(socket, 'connect');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic()}\r\nContent-Length: 100000\r\n${headers}\r\n${body}`,
      'latin1',
    );
    while (met.length === before) await sleep(5);
    await sleep(100);
    socket.destroy();
  };

  for (const [what, ...request] of [
    [
      'a file',
      '/rest/v1/upload/',
      'Content-Type: multipart/form-data; boundary=b\r\n',
      '--b\r\nContent-Disposition: form-data; name="upload"; filename="a.csv"\r\n\r\nemail\n',
    ],
    ['JSON', '/rest/v1/list/', 'Content-Type: application/json\r\n', '{"name": "N'],
    ['packed JSON', '/rest/v1/list/', 'Content-Type: application/json\r\nContent-Encoding: gzip\r\n', '\x1f\x8b\x08\x00'],
    ['what is refused before it is read', '/rest/v1/page/', 'Content-Type: application/json\r\n', '{'],
  ] as const) {
    it(`leave nothing behind: ${what}`, async () => {
      met.length = 0;
      for (let n = 0; n < CALLERS; n++) await hangUp(request);
      let left = CALLERS;
      for (const giveUp = Date.now() + WITHIN_MS; left > 0 && Date.now() < giveUp; ) {
        // What is looked at is held for the rest of the turn.
        await sleep(200);
        collectGarbage();
        left = met.filter((each) => each.deref()).length;
      }
      assert.equal(left, 0, 'requests that are held');
    });
  }

  it('leave no file open that they had sent whole before anybody read it', async function () {
    // Which files a process has open is told by Linux alone.
    if (!existsSync('/proc/self/fd')) this.skip();
    const came: IncomingMessage[] = [];
    beforeReading = async (raw) => {
      came.push(raw);
      while (!raw.destroyed) await sleep(5);
    };
    const boundary = '--b\r\nContent-Disposition: form-data; name="upload"; filename="a.csv"\r\n\r\n';
    const body = `${boundary}email\n${'a@example.org\n'.repeat(100)}\r\n--b--\r\n`;
    const sent = `Authorization: ${basic()}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (let n = 0; n < CALLERS; n++) {
      const socket = connect(Number(origin.port), origin.hostname);
      await once(socket, 'connect');
      socket.write(`POST /rest/v1/upload/ HTTP/1.1\r\nHost: x\r\n${sent}`);
      while (!came[n]?.complete) await sleep(5);
      socket.destroy();
    }
    beforeReading = async () => {};
    for (const raw of came) while (!raw.destroyed) await sleep(5);
    await sleep(500);
    for (const giveUp = Date.now() + WITHIN_MS; uploadsOpen() > 0 && Date.now() < giveUp; ) await sleep(50);
    assert.equal(uploadsOpen(), 0);
  });
});

/** Files of forms that this process has open. */
const uploadsOpen = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /\/uploads\/.* \(deleted\)$/.test(readlinkSync(`/proc/self/fd/${fd}`));
    } catch {
      return false;
    }
  }).length;
