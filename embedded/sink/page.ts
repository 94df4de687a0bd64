import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readMail } from '../../mail/read-mail.ts';
import { escapeHtml } from '../../template/output.ts';
import type { Inbox, StoredMail } from './inbox.ts';
import type { SinkCounts } from './tally.ts';

// The inbox to look at with a browser, and for programs: /counts, /mails?to=, /mails/<id>.eml; POST /reset.

export interface InboxPage {
  readonly url: string;
  close(): Promise<void>;
}

interface PageOptions {
  host: string;
  port: number;
  inbox: Inbox;
  counts(): SinkCounts;
  reset(): void;
}

export async function startInboxPage(options: PageOptions): Promise<InboxPage> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error: Error) => send(response, 500, 'text/plain', error.message));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://${options.host}:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * A page of any site may have a browser send a POST here, and by a name of its own that leads to this machine read all mail. Whoever lets the page be reached from
 * elsewhere gives it what names they like.
 */
function isForged({ method, headers }: IncomingMessage, listens: string): boolean {
  if (method === 'POST' && headers.origin !== undefined && URL.parse(headers.origin)?.host !== headers.host) return true;
  return LOOPBACK.test(listens) && !LOOPBACK.test(URL.parse(`http://${headers.host}`)?.hostname ?? '');
}

const LOOPBACK = /^(127(\.\d+){3}|localhost|\[?::1\]?)$/;

async function answer(request: IncomingMessage, response: ServerResponse, { host, inbox, counts, reset }: PageOptions): Promise<void> {
  if (isForged(request, host)) return send(response, 403, 'text/plain', 'not from here');
  const url = URL.parse(request.url ?? '/', 'http://sink');
  if (!url) return send(response, 404, 'text/plain', 'not here');
  const [, id, kind] = /^\/mails\/(\d{1,15})(\.eml)?$/.exec(url.pathname) ?? [];
  if (request.method === 'POST') {
    if (url.pathname !== '/reset') return send(response, 404, 'text/plain', 'not here');
    reset();
    return send(response, 200, 'application/json', JSON.stringify(counts()));
  }
  if (url.pathname === '/counts') return send(response, 200, 'application/json', JSON.stringify(counts()));
  if (url.pathname === '/mails')
    return send(response, 200, 'application/json', await listAsJson(inbox.list(url.searchParams.get('to') ?? undefined)));
  if (url.pathname === '/') return send(response, 200, 'text/html', await listPage(inbox.list(), counts()));
  const mail = id === undefined ? null : inbox.get(Number(id));
  if (!mail) return send(response, 404, 'text/plain', 'not here');
  if (kind) return send(response, 200, 'message/rfc822', mail.content);
  send(response, 200, 'text/html', await mailPage(mail));
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'",
  });
  response.end(body);
}

const STYLE = `<style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ddd}
pre{white-space:pre-wrap;background:#f6f6f6;padding:1rem}iframe{width:100%;height:30rem;border:1px solid #ccc}</style>`;

const document = (title: string, body: string) =>
  `<!doctype html><html lang="en"><title>${escapeHtml(title)}</title>${STYLE}<body>${body}</body></html>`;

async function subjectOf(mail: StoredMail): Promise<string> {
  const header = mail.content.subarray(0, Math.max(0, mail.content.indexOf('\r\n\r\n')) + 4);
  return (await readMail(header)).subject ?? '';
}

async function listAsJson(mails: StoredMail[]): Promise<string> {
  const list = mails.map(async (mail) => ({ id: mail.id, at: mail.at, from: mail.from, to: mail.to, subject: await subjectOf(mail) }));
  return JSON.stringify(await Promise.all(list));
}

async function listPage(mails: StoredMail[], { received, recipients, duplicated }: SinkCounts): Promise<string> {
  const rows = await Promise.all(
    mails.map(
      async (mail) =>
        `<tr><td>${mail.at.toISOString().slice(11, 19)}</td><td>${escapeHtml(mail.to.join(', '))}</td><td><a href="/mails/${mail.id}">${escapeHtml((await subjectOf(mail)) || '(no subject)')}</a></td></tr>`,
    ),
  );
  const summary = `<p>${received} mails to ${recipients} addresses, ${duplicated} of them twice. The last ${mails.length}:</p>`;
  return document('Inbox', `<h1>Inbox</h1>${summary}<table><tr><th>UTC</th><th>To</th><th>Subject</th></tr>${rows.join('')}</table>`);
}

async function mailPage(mail: StoredMail): Promise<string> {
  const parsed = await readMail(mail.content);
  const headers = parsed.headerLines.map(({ line }) => line).join('\n');
  // No scripts, no forms, no requests: the frame may do nothing but show.
  const frame = parsed.html ? `<iframe sandbox srcdoc="${escapeHtml(parsed.html)}"></iframe>` : '';
  return document(
    parsed.subject ?? 'Mail',
    `<p><a href="/">Inbox</a> · <a href="/mails/${mail.id}.eml">as it came</a></p><h1>${escapeHtml(parsed.subject ?? '')}</h1>${frame}
<h2>Text</h2><pre>${escapeHtml(parsed.text ?? '')}</pre><h2>Headers</h2><pre>${escapeHtml(headers)}</pre>`,
  );
}
