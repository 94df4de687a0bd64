import type { FastifyInstance, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { can } from '../../api/route-options.ts';
import { countByStatus, type ListedMailing, listMailings } from '../../core/mailings/list-mailings.ts';
import type { Sql } from '../../db/sql.ts';
import { UNDER_WAY } from '../../domain/mailing-status.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { csvLine, csvLink, sendLines } from '../csv.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../layout.ts';
import { count, leading } from '../numbers.ts';
import { percent } from '../progress-bar.ts';
import { type Condition, conditionWords } from '../watch/condition.ts';
import { conditionsOf, WAITS_MS } from '../watch/glance.ts';
import { mailingRow } from './mailing-row.ts';
import { GROUPS, type GroupName } from './status-words.ts';

/** How many of each group the overview shows, and a page of one group. */
const SHOWN = { overview: 6, page: 25 };

interface Wanted {
  group: GroupName | null;
  /** A part of a subject or of the notes. */
  words: string;
  page: number;
  /** Those in the archive, whatever their status. */
  archived: boolean;
}

/** `/console/mailings/`: all mailings by where they stand, and one group of them page by page. */
export function registerMailingList(app: FastifyInstance, context: ApiContext): void {
  app.get('/console/mailings/', page('mailer:read'), async (request, reply) => {
    const wanted = readWanted(request);
    const { counts, list } = await readList(context, request, wanted, WAITS_MS.page);
    const title = wanted.archived ? 'Archive' : wanted.group ? GROUPS[wanted.group].title : 'Mailings';
    const query = new URL(request.url, 'http://console').search;
    const content = html`<div class="head first"><h1>${title}</h1>${can(request, 'mailer:write') ? html`<a class="button main" href="/console/mailings/new">New mailing</a>` : ''}</div><div data-region="many">${manyPart(wanted, counts)}</div>${filters(wanted, counts)}<div data-region="list">${list}</div>${csvLink(`/console/mailings.csv${query}`, 'these mailings')}`;
    return sendPage(request, reply, context.env, { title, live: `/console/mailings/live${query}`, content });
  });

  app.get('/console/mailings.csv', page('mailer:read'), async (request, reply) =>
    sendLines(reply, 'mailings', linesOf(context.longReads.of(request), readWanted(request))),
  );

  app.get('/console/mailings/live', page('mailer:read'), async (request) => {
    const wanted = readWanted(request);
    const { counts, list, underWay, conditions } = await readList(context, request, wanted, WAITS_MS.live);
    const said = underWay.map((each) => `${each.subject}: ${conditionWords(conditions.get(each.id)!)}, ${tenth(each)} percent`).join('. ');
    const regions = { many: String(manyPart(wanted, counts)), groups: String(groupsPart(wanted, counts)), list: String(list) };
    return { busy: underWay.length > 0, regions, said };
  });
}

/** How many are read at once for a file: subjects and notes of all of them may be more than memory holds. */
const BLOCK = 100;
const LINE = [
  'id',
  'subject',
  'notes',
  'status',
  'targeted',
  'accepted',
  'failed',
  'skipped',
  'uncertain',
  'created_at',
  'scheduled_for',
  'started_at',
  'finished_at',
] as const satisfies (keyof ListedMailing)[];

async function* linesOf(sql: Sql, { group, words, archived }: Wanted): AsyncGenerator<string> {
  yield csvLine(LINE);
  const statuses: readonly MailingStatus[] | null = group ? GROUPS[group].statuses : null;
  for (let before: number | null = null; ; ) {
    const mailings: ListedMailing[] = await listMailings(sql, { statuses, words, limit: BLOCK, offset: 0, before, archived });
    for (const each of mailings) yield csvLine(LINE.map((name) => each[name]));
    if (mailings.length < BLOCK) return;
    before = mailings.at(-1)!.id;
  }
}

/** Said aloud at every tenth: more would be noise. */
const tenth = (mailing: ListedMailing) => Math.floor(percent(mailing, mailing.targeted) / 10) * 10;

function readWanted(request: FastifyRequest): Wanted {
  const { group, q, page: given, archived } = request.query as Record<string, unknown>;
  return {
    group: typeof group === 'string' && Object.hasOwn(GROUPS, group) ? (group as GroupName) : null,
    words: typeof q === 'string' ? q.replaceAll('\0', '').trim().slice(0, 200) : '',
    page: typeof given === 'string' && /^[1-9]\d{0,5}$/.test(given) ? Number(given) : 1,
    archived: archived === '1',
  };
}

type Counts = Record<GroupName, number>;

async function readCounts(sql: Sql): Promise<Counts> {
  const rows = await countByStatus(sql);
  const of = (statuses: readonly MailingStatus[]) => rows.reduce((sum, { status, n }) => sum + (statuses.includes(status) ? n : 0), 0);
  return Object.fromEntries(Object.entries(GROUPS).map(([name, { statuses }]) => [name, of(statuses)])) as Counts;
}

interface List {
  counts: Counts;
  list: Html;
  underWay: ListedMailing[];
  conditions: ReadonlyMap<number, Condition>;
}

/** @param waitsMs for what runs say of themselves */
async function readList(context: ApiContext, request: FastifyRequest, wanted: Wanted, waitsMs: number): Promise<List> {
  const sql = context.longReads.of(request);
  const counts = await readCounts(sql);
  const names = wanted.group ? [wanted.group] : (Object.keys(GROUPS) as GroupName[]).filter((name) => counts[name] > 0);
  const alone = wanted.archived || wanted.group !== null || wanted.words !== '';
  const size = alone ? SHOWN.page : SHOWN.overview;
  // One with words looks through all statuses at once.
  const groups = (wanted.words || wanted.archived) && !wanted.group ? [null] : names;
  const read = await Promise.all(
    groups.map(async (name) => {
      const statuses = name ? GROUPS[name].statuses : null;
      const offset = alone ? (wanted.page - 1) * size : 0;
      const mailings = await listMailings(sql, { statuses, words: wanted.words, limit: size + 1, offset, archived: wanted.archived });
      return { name, more: mailings.length > size, mailings: mailings.slice(0, size) };
    }),
  );
  const shown = read.flatMap(({ mailings }) => mailings);
  const conditions = await conditionsOf(context, shown, waitsMs);
  const sections = read.map(({ name, mailings, more }) => {
    const rows = mailings.length
      ? html`<ul class="rows">${mailings.map((each) => mailingRow(each, conditions.get(each.id)!))}</ul>`
      : html`<p class="none">No mailing here.</p>`;
    if (alone) return html`${rows}${pager(wanted, more)}`;
    const { title } = GROUPS[name!];
    const all = more ? html`<a class="more" href="/console/mailings/?group=${name}">All ${count(counts[name!])}</a>` : '';
    return html`<section aria-labelledby="${name}"><div class="head"><h2 id="${name}">${title}</h2>${all}</div>${rows}</section>`;
  });
  return {
    counts,
    list: sections.length ? html`${sections}` : emptyPart(can(request, 'mailer:write')),
    conditions,
    underWay: shown.filter(({ status }) => UNDER_WAY.includes(status)),
  };
}

const emptyPart = (mayWrite: boolean): Html =>
  html`<p class="none">There is no mailing yet.${mayWrite ? html` <a href="/console/mailings/new">Write the first one</a>, or create it over the <a href="/docs/">API</a>: <code>POST /rest/v1/mailer/</code>.` : ''}</p>`;

/** How many there are, where that is how many are listed. */
function manyPart({ group, words, archived }: Wanted, counts: Counts): Html | '' {
  return archived || words ? '' : leading(group ? counts[group] : inAll(counts), 'mailing', 'mailings');
}

const inAll = (counts: Counts): number => Object.values(counts).reduce((sum, many) => sum + many, 0);

function groupsPart({ group, words, archived }: Wanted, counts: Counts): Html {
  const link = (name: GroupName | null, title: string, many: number) =>
    html`<a href="/console/mailings/${name ? `?group=${name}` : ''}"${name === group && !words && !archived ? html` aria-current="page"` : ''}>${title} <span>${count(many)}</span></a>`;
  return html`${link(null, 'All', inAll(counts))}${Object.entries(GROUPS).map(([name, { title }]) =>
    link(name as GroupName, title, counts[name as GroupName]),
  )}<a href="/console/mailings/?archived=1"${archived ? html` aria-current="page"` : ''}>Archive</a>`;
}

function filters(wanted: Wanted, counts: Counts): Html {
  const { words, archived } = wanted;
  return html`<div class="filters"><nav aria-label="Mailings by status" data-region="groups">${groupsPart(wanted, counts)}</nav>
<form role="search" action="/console/mailings/"><label class="unseen" for="q">Search subjects and notes</label>
${archived ? html`<input type="hidden" name="archived" value="1">` : ''}<input id="q" name="q" type="search" value="${words}" placeholder="Subject or notes"><button class="quiet">Search</button></form></div>`;
}

function pager({ group, words, page, archived }: Wanted, more: boolean): Html | '' {
  if (page === 1 && !more) return '';
  const to = (n: number) =>
    `/console/mailings/?${new URLSearchParams({ ...(group && { group }), ...(words && { q: words }), ...(archived && { archived: '1' }), page: String(n) })}`;
  return html`<nav class="pager" aria-label="Pages">${page > 1 ? html`<a href="${to(page - 1)}" rel="prev">← Newer</a>` : ''}
<span>Page ${count(page)}</span>${more ? html`<a href="${to(page + 1)}" rel="next">Older →</a>` : ''}</nav>`;
}
