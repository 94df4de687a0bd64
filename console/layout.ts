import type { FastifyReply, FastifyRequest } from 'fastify';
import { can } from '../api/route-options.ts';
import type { Env } from '../config/env.ts';
import { assetPath } from './assets.ts';
import { type Html, html } from './html.ts';
import { type IconName, icon } from './icons.ts';
import { policyOf } from './policy.ts';

export interface PageParts {
  title: string;
  content: Html;
  /** Where what changes by itself is read from. */
  live?: string;
  /** Charts are drawn on it. */
  charts?: boolean;
  /** Style elements with this nonce may be put into it by a script. */
  nonce?: string;
}

/** The hidden field every form needs. */
export const csrfField = (token: string): Html => html`<input type="hidden" name="_csrf" value="${token}">`;

/** Sends a page of the console: the shell around what `parts` says. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, env: Env, parts: PageParts): FastifyReply {
  const { title, content, live, charts, nonce } = parts;
  if (nonce) reply.header('content-security-policy', policyOf(nonce));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Campaign console</title>
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
${charts ? html`<link rel="stylesheet" href="${assetPath('uplot.css')}">` : ''}
<link rel="stylesheet" href="${assetPath('console.css')}">
${charts ? html`<script src="${assetPath('uplot.js')}" defer></script>` : ''}
<script src="${assetPath('forms.js')}" defer></script>
<script src="${assetPath('console.js')}" defer></script>
</head>
<body${live ? html` data-live="${live}"` : ''}>
<a class="skip" href="#content">Skip to content</a>
${request.account ? header(request, reply, env) : ''}
${live ? html`<p class="note warn" role="alert" id="stale" hidden></p>` : ''}<main id="content">${content}</main>
<p class="unseen" role="status" id="said"></p>
</body>
</html>
`;
  return reply.type('text/html; charset=utf-8').send(String(page));
}

/** Stands for what no grant gives. */
const SUPERUSER = 'superuser';
const mayOpen = (request: FastifyRequest, grant: string): boolean =>
  grant === SUPERUSER ? request.account!.isSuperuser : can(request, grant);

/** What there is, for whom. */
const PLACES: { path: string; word: string; grant: string; icon: IconName }[] = [
  { path: '/console/mailings/', word: 'Mailings', grant: 'mailer:read', icon: 'mail' },
  { path: '/console/people/', word: 'People', grant: 'user:read', icon: 'people' },
  { path: '/console/lists/', word: 'Lists', grant: 'list:read', icon: 'list' },
  { path: '/console/donations/', word: 'Donations', grant: 'transaction:read', icon: 'gift' },
  { path: '/console/whipcounts/', word: 'Whip counts', grant: 'whipcountactioncalled:read', icon: 'phone' },
  { path: '/console/reports/', word: 'Reports', grant: 'report:read', icon: 'chart' },
  { path: '/console/webhooks/', word: 'Webhooks', grant: 'webhook:read', icon: 'hook' },
  { path: '/console/accounts/', word: 'Accounts', grant: SUPERUSER, icon: 'key' },
  { path: '/console/health/', word: 'Health', grant: 'mailer:read', icon: 'pulse' },
];

function header(request: FastifyRequest, reply: FastifyReply, env: Env): Html {
  const ui = env.TEMPORAL_UI_URL;
  return html`<header class="top">
<a class="brand" href="/console/">Campaign <span>console</span></a>
<nav aria-label="Main">
<a href="/console/"${request.url.split('?')[0] === '/console/' ? html` aria-current="page"` : ''}>${icon('home')}Home</a>
${PLACES.filter(({ grant }) => mayOpen(request, grant)).map((place) => html`<a href="${place.path}"${request.url.startsWith(place.path) ? html` aria-current="page"` : ''}>${icon(place.icon)}${place.word}</a>`)}
${ui ? html`<a href="${ui}/namespaces/${env.TEMPORAL_NAMESPACE}/workflows?query=${encodeURIComponent('JobKind IS NOT NULL')}">${icon('branch')}Workflows</a>` : ''}
<a href="/docs/">${icon('book')}API</a>
</nav>
<form method="post" action="/console/logout" class="who">
${csrfField(formToken(request, reply))}<span>${request.account!.username}</span><button class="quiet">Log out</button>
</form>
</header>`;
}

/** What the token of every form belongs to, together with the session. */
export const FORM_COOKIE = 'campaign_console_form';

const tokens = new WeakMap<FastifyRequest, string>();

/** The token of this page's forms; what it belongs to is put into a cookie on first use. */
export function formToken(request: FastifyRequest, reply: FastifyReply): string {
  let token = tokens.get(request);
  if (token === undefined) {
    token = reply.server.consoleFormToken(request, reply);
    tokens.set(request, token);
  }
  return token;
}

declare module 'fastify' {
  interface FastifyInstance {
    consoleFormToken(request: FastifyRequest, reply: FastifyReply): string;
    /** Throws where the token in the request's body is not one of this session. */
    consoleFormIsOurs(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
}
