import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { HashSet64 } from '../../embedded/sink/hash-set.ts';
import type { SinkCounts } from '../../embedded/smtp-sink.ts';
import { mailNumber, Opened } from '../support/relay.ts';

describe('the SMTP sink', () => {
  const opened = new Opened();
  afterEach(() => opened.end());

  it('counts mails, recipients and what comes twice, by mailing too', async () => {
    const sink = await opened.sink({ httpPort: 0 });
    const relay = opened.relay(sink.url);
    await Promise.all([1, 2, 3, 3].map((n) => relay.send(mailNumber(n))));
    await relay.send(mailNumber(9, { envelopeFrom: 'bounce+8.9.x@mail.example' }));
    const counts = (await (await fetch(`${sink.pageUrl}counts`)).json()) as SinkCounts;
    assert.deepEqual(counts, {
      received: 5,
      recipients: 4,
      duplicated: 1,
      bytes: counts.bytes,
      mailings: { 7: { received: 4, duplicated: 1 }, 8: { received: 1, duplicated: 0 } },
    });
    await fetch(`${sink.pageUrl}reset`, { method: 'POST' });
    assert.equal(sink.counts().received, 0);
    assert.deepEqual(sink.inbox.list(), []);
  });

  it('keeps the last mails to look at, and shows them without letting them do anything', async () => {
    const sink = await opened.sink({ httpPort: 0, keep: 3 });
    // By DATA: only there are dots doubled.
    const relay = opened.relay(sink.url, { connections: 1, chunking: false });
    const message = (n: number) =>
      `Subject: =?UTF-8?B?${Buffer.from(`Grüße <${n}>`).toString('base64')}?=\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script><b title="x">hi</b>\r\n..dot\r\n`;
    for (const n of [1, 2, 3, 4]) await relay.send(mailNumber(n, { message: message(n) }));
    assert.deepEqual(
      sink.inbox.list().map(({ to }) => to[0]),
      ['person4@example.org', 'person3@example.org', 'person2@example.org'],
    );
    const list = await (await fetch(sink.pageUrl!)).text();
    assert.match(list, /Grüße &lt;4&gt;/);
    const page = await fetch(`${sink.pageUrl}mails/4`);
    const html = await page.text();
    assert.match(html, /<iframe sandbox srcdoc="&lt;script&gt;/);
    assert.doesNotMatch(html, /<script/);
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/);
    assert.match(await (await fetch(`${sink.pageUrl}mails/4.eml`)).text(), /\r\n\.dot\r\n$/);
    assert.deepEqual(
      ((await (await fetch(`${sink.pageUrl}mails?to=PERSON3@example.org`)).json()) as { subject: string }[]).map(({ subject }) => subject),
      ['Grüße <3>'],
    );
    for (const path of ['mails/1', 'mails/x', 'nothing']) assert.equal((await fetch(sink.pageUrl + path)).status, 404);
  });

  it('shows its mails to nobody by another name than those of this machine, and is reset by no page of another site', async () => {
    const sink = await opened.sink({ httpPort: 0 });
    await opened.relay(sink.url).send(mailNumber(1));
    const port = new URL(sink.pageUrl!).port;
    const status = async (path: string, headers: Record<string, string>, method = 'GET') => {
      const options: RequestOptions = { host: '127.0.0.1', port, path, method, headers };
      const [answer] = (await once(request(options).end(), 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    const own = `127.0.0.1:${port}`;
    for (const host of [own, `localhost:${port}`, `[::1]:${port}`]) assert.equal(await status('/mails/1', { host }), 200, host);
    for (const host of [`evil.test:${port}`, '127.0.0.1.evil.test', 'localhost.evil.test', '%'])
      for (const path of ['/', '/mails', '/mails/1', '/mails/1.eml', '/counts']) assert.equal(await status(path, { host }), 403, host);
    for (const origin of ['https://evil.test', 'null', 'http://127.0.0.1:1'])
      assert.equal(await status('/reset', { host: own, origin }, 'POST'), 403, origin);
    assert.equal(sink.counts().received, 1);
    assert.equal(await status('//[', { host: own }), 404);
    assert.equal(await status('/reset', { host: own, origin: `http://${own}` }, 'POST'), 200);
    assert.equal(sink.counts().received, 0);
  });

  it('remembers a million mails in little memory', () => {
    const set = new HashSet64();
    const random = (n: number) => Math.imul(n + 1, 0x9e3779b1) >>> 0;
    for (let n = 0; n < 1_000_000; n++) set.add(random(n), random(n ^ 0x5bd1e995));
    assert.equal(set.size, 1_000_000);
    for (let n = 0; n < 1000; n++) assert.equal(set.add(random(n), random(n ^ 0x5bd1e995)), false);
    assert.ok(set.bytes <= 32_000_000, `${set.bytes}`);
  });
});
