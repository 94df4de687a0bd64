import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ParsedMail, simpleParser } from 'mailparser';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { type SmtpSink, startSmtpSink } from '../../embedded/smtp-sink.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { chromiumPath, startBrowser } from '../support/browser.ts';
import { BUTTON, newsletterHtml, pictureOf } from '../support/newsletter.ts';
import { insertPeople } from '../support/people.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const SCREENSHOTS = new URL('../../test-output/', import.meta.url).pathname;
const PHONE = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15' };

interface Look {
  pictures: number[];
  overflow: number;
  where: string;
  preview: boolean;
}

/** Looked at inside the browser. */
const LOOK = `({
  pictures: [...document.images].filter(({ width }) => width > 1).map(({ naturalWidth }) => naturalWidth),
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  where: document.querySelector('#where')?.textContent ?? '',
  preview: [...document.querySelectorAll('div')].some((div) => div.textContent === 'What twelve towns drink' && div.offsetHeight > 0),
})`;

describe('a real newsletter, sent and read', () => {
  let api: TestApi;
  let sink: SmtpSink;
  let pictures: Server;
  let base: string;
  let source: string;
  let uri: string;
  /** The mails by address: as they came, and read. */
  const mails = new Map<string, { raw: string; mail: ParsedMail; akid: string }>();

  before(async () => {
    const place = await createNamespace();
    sink = await startSmtpSink({ keep: 10 });
    pictures = createServer((request, response) => {
      response.setHeader('content-type', 'image/svg+xml').end(pictureOf(request.url ?? ''));
    }).listen(0, '127.0.0.1');
    api = await startApi({}, undefined, temporalWorkflows(place.client));
    base = await api.app.listen({ port: 0, host: '127.0.0.1' });
    api.env.BASE_URL = base;
    await ensureReportRole(api.pool, api.env);
    await api.create('list', { name: 'News' });
    await insertPeople(api.pool, [
      { id: 1, email: 'zoe@example.org', state: 'NY', lists: [1] },
      { id: 2, email: 'nobody@example.org', lists: [1] },
      { id: 3, email: 'hostile@example.org', state: 'CA', lists: [1] },
    ]);
    await api.call('PATCH', '/rest/v1/user/1/', { first_name: 'zoë', city: 'Coeur d’Alene', fields: { pets: ['cat', 'dög'] } });
    await api.call('PATCH', '/rest/v1/user/3/', { first_name: '<script>alert(1)</script>{{ user.email }}' });
    await api.create('queryreport', {
      name: 'Signed',
      short_name: 'signed',
      sql: `select to_char(1204 + count(*), '9,999') from core_user`,
    });
    await api.create('snippet', BUTTON);
    source = newsletterHtml(`http://127.0.0.1:${(pictures.address() as AddressInfo).port}`);
    assert.ok(Buffer.byteLength(source) > 55_000 && Buffer.byteLength(source) < 70_000, `${Buffer.byteLength(source)} bytes`);
    uri = await api.create('mailer', {
      subjects: [
        '{{ user.first_name|capfirst|default:"Friend" }}, the month in the valley – 図書館, night trains and everything else that happened',
      ],
      preview_text: ['What twelve towns drink'],
      html: source,
      fromline: '"Bürger für das Tal" <news@valley.example>',
      reply_to: 'answers@valley.example',
      fields: { form: 'spring' },
      web_viewable: true,
    });
    await runWorker(place, { DATABASE_URL: api.databaseUrl, SMTP_URL: sink.url, SMTP_CONNECTIONS: '2', BASE_URL: base });
    await until(`${uri}rebuild/`);
    const done = await until(`${uri}queue/`);
    assert.deepEqual([done.status, done.progress, done.failed, done.skipped], ['completed', 3, 0, 0]);
    for (const { to, content } of sink.inbox.list()) {
      const mail = await simpleParser(content, { skipTextToHtml: true, skipImageLinks: true });
      const raw = content.toString('latin1');
      mails.set(to[0]!, { raw, mail, akid: /akid=([\w.-]+)>/.exec(raw)![1]! });
    }
  });
  after(async () => {
    await api?.close();
    await sink?.close();
    pictures?.close();
  });

  /** Asks for something and waits for its document to be finished. */
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  async function until(action: string): Promise<any> {
    const asked = await api.call('POST', action);
    assert.equal(asked.statusCode, 201, asked.body);
    const poll = String(asked.headers.location).slice(base.length);
    for (let waited = 0; waited < 200_000; waited += 200) {
      const document = await api.read(poll);
      if (document.finished) return document;
      await sleep(200);
    }
    throw new Error(`${poll} never finished`);
  }

  /** Opens and clicks are written a moment after they come. */
  async function counted(all: (totals: Record<string, number>) => boolean): Promise<Record<string, number>> {
    for (;;) {
      await sleep(600);
      const { totals } = await api.read(`${uri}results/`);
      if (all(totals)) return totals;
    }
  }

  const to = (name: string) => mails.get(`${name}@example.org`)!;
  const hrefs = (html: string) => [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));

  it('comes as a message that keeps to the rules: lines, line ends, headers, parts, charsets', () => {
    assert.equal(mails.size, 3);
    for (const [address, { raw, mail }] of mails) {
      assert.ok(!/[^\r]\n|\r[^\n]/.test(raw), 'lines end in CRLF');
      assert.ok(/^[\t\r\n\x20-\x7e]*$/.test(raw), 'only ASCII is on the wire');
      const [head, ...rest] = raw.split('\r\n\r\n');
      const body = rest.join('\r\n\r\n');
      assert.deepEqual(
        raw.split('\r\n').filter((line) => line.length > 998),
        [],
      );
      assert.deepEqual(
        body.split('\r\n').filter((line) => line.length > 76),
        [],
        'encoded lines are short',
      );
      // Of header lines only one that is a single address or link may be longer.
      assert.deepEqual(
        head!.split('\r\n').filter((line) => line.length > 78 && !/^ <\S+>,?$/.test(line)),
        [],
      );
      const names = head!
        .replace(/\r\n[ \t]+/g, ' ')
        .split('\r\n')
        .map((line) => /^([\w-]+): \S/.exec(line)?.[1]?.toLowerCase());
      assert.ok(names.every(Boolean));
      assert.equal(new Set(names).size, names.length, 'no header twice');
      for (const name of [
        'from',
        'to',
        'reply-to',
        'subject',
        'date',
        'message-id',
        'mime-version',
        'content-type',
        'list-id',
        'list-unsubscribe',
        'list-unsubscribe-post',
      ]) {
        assert.ok(names.includes(name), name);
      }
      assert.ok(Math.abs(mail.date!.getTime() - Date.now()) < 300_000);
      assert.deepEqual(mail.from!.value, [{ name: 'Bürger für das Tal', address: 'news@valley.example' }]);
      assert.equal((mail.to as { text: string }).text, address);
      const types = [...body.matchAll(/^Content-Type: (.*)\r\nContent-Transfer-Encoding: (.*)\r\n/gm)].map(([, type, encoding]) => [
        type,
        encoding,
      ]);
      assert.deepEqual(types, [
        ['text/plain; charset=utf-8', 'quoted-printable'],
        ['text/html; charset=utf-8', 'quoted-printable'],
      ]);
      assert.match((mail.headers.get('content-type') as { value: string }).value, /^multipart\/alternative$/);
    }
    assert.equal(to('zoe').mail.subject, 'Zoë, the month in the valley – 図書館, night trains and everything else that happened');
  });

  it('says to each what is meant for them, and nothing of others', () => {
    const [zoe, nobody, hostile] = [to('zoe').mail, to('nobody').mail, to('hostile').mail];
    for (const mail of [zoe.html as string, zoe.text!]) {
      assert.match(mail, /Dear Zoë,/);
      assert.match(mail, /New York, Coeur d’Alene: your senators/);
      assert.match(mail, /1: cat[\s\S]*2: dög/);
      assert.match(mail, /1,207 of you have signed/);
      for (const words of ['Köln to Kraków', '“twice”', 'Открыто', '図書館']) assert.ok(mail.includes(words), words);
    }
    assert.match(nobody.html as string, /Dear friend,[\s\S]*Wherever you are: hello\./);
    assert.ok(!(nobody.html as string).includes('id="pets"'));
    assert.match(hostile.html as string, /Dear &lt;script&gt;alert\(1\)&lt;\/script&gt;\{\{ user\.email \}\},/);
    assert.match(hostile.html as string, /Hello to CA!/);
    for (const [address, { raw, mail }] of mails) {
      for (const other of mails.keys())
        if (other !== address) assert.ok(!(raw + mail.html + mail.text).includes(other), `${other} in the mail to ${address}`);
      assert.ok(!/\{%|%\}/.test(mail.html as string) && !(mail.html as string).includes('never.example'));
      assert.equal((mail.html as string).match(/<img[^>]*\/open\//g)?.length, 1);
      assert.ok((mail.html as string).indexOf('What twelve towns drink') < (mail.html as string).indexOf('<table'));
    }
  });

  it('has links that all lead where they should, through the redirect', async () => {
    const { mail, akid } = to('zoe');
    const button = BUTTON.html.replace('{{ mailing_fields.form }}', 'spring');
    const expected = hrefs(source.replace(/\{% comment %\}.*?\{% endcomment %\}/s, '').replace(/\{% include "button".*?%\}/, button)).map(
      (href) =>
        href
          .replace('{{ akid }}', akid)
          .replace('{{ view_link }}', `${base}/view/${akid}`)
          .replace('{{ unsubscribe_link }}', `${base}/unsubscribe/?akid=${akid}`),
    );
    assert.ok(expected.length > 35);
    const followed = new Map<string, string>();
    const follow = async (href: string): Promise<string> => {
      if (!href.startsWith(`${base}/click/`)) return href;
      const known = followed.get(href);
      if (known) return known;
      const answer = await fetch(href, { redirect: 'manual', headers: PHONE });
      assert.equal(answer.status, 302, href);
      followed.set(href, answer.headers.get('location')!);
      return followed.get(href)!;
    };
    const found: string[] = [];
    for (const href of hrefs(mail.html as string)) found.push(await follow(href));
    assert.deepEqual(found, expected);
    assert.ok(followed.size >= 20, `${followed.size} links are tracked`);
    // The text version's, too.
    const wanted = new Set(expected.filter((href) => href.startsWith('http')));
    for (const [href] of mail.text!.matchAll(/https?:\/\/[^\s()]+/g))
      assert.ok(wanted.has(await follow(href)), `${href} leads to ${await follow(href)}`);
    // A link cannot be turned on anybody, nor counted for somebody else.
    const [any] = followed.keys();
    assert.equal((await fetch(`${any!.replace(/\/\d+$/, '')}/https%3A%2F%2Fevil.example`, { redirect: 'manual' })).status, 404);
    const totals = await counted(({ total_clicks = 0 }) => total_clicks >= followed.size);
    assert.deepEqual([totals.clicks, totals.total_clicks], [1, followed.size]);
  });

  it('looks like a newsletter in a browser, as it came and on the web', async function () {
    if (!chromiumPath) {
      console.log('      no Chromium on this machine (set CHROMIUM_PATH): the newsletter was read back without a browser only');
      return this.skip();
    }
    mkdirSync(SCREENSHOTS, { recursive: true });
    const browser = await startBrowser();
    const page = await browser.newPage({ viewport: { width: 700, height: 900 } });
    const { mail, akid } = to('zoe');
    await page.setContent(mail.html as string, { waitUntil: 'networkidle' });
    const look = () => page.evaluate<Look>(LOOK);
    for (const name of ['newsletter', 'newsletter-on-the-web']) {
      const { pictures: widths, overflow, where, preview } = await look();
      assert.equal(widths.length, 19);
      assert.ok(
        widths.every((width) => width > 0),
        'every picture is there',
      );
      assert.equal(overflow, 0);
      assert.match(where, /Coeur d’Alene/);
      assert.equal(preview, false);
      await page.screenshot({ path: `${SCREENSHOTS}${name}.png`, fullPage: false });
      if (name === 'newsletter') assert.equal((await page.goto(`${base}/view/${akid}`, { waitUntil: 'networkidle' }))?.status(), 200);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await page.screenshot({ path: `${SCREENSHOTS}newsletter-on-a-phone.png` });
    await page.close();
    const totals = await counted(({ raw_opens = 0 }) => raw_opens > 0);
    assert.deepEqual([totals.opens, totals.raw_opens], [0, 1], 'a headless browser is a machine');
  });

  it('unsubscribes its reader by one click of the mail client', async () => {
    const header = to('nobody').mail.headerLines.find(({ key }) => key === 'list-unsubscribe')!.line;
    const [, address] = /<(https?:[^>]+)>/.exec(header)!;
    assert.equal((await fetch(address!)).status, 200);
    assert.equal((await api.read('/rest/v1/user/2/')).subscription_status, 'subscribed', 'asking is not doing');
    const answer = await fetch(address!, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    assert.equal(answer.status, 200);
    assert.equal((await api.read('/rest/v1/user/2/')).subscription_status, 'unsubscribed');
    assert.equal((await api.read(`${uri}results/`)).totals.unsubscribes, 1);
  });
});
