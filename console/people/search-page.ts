import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import {
  type FoundPage,
  type FoundPerson,
  findPeople,
  findPerson,
  LONGEST_SEARCH,
  newestPeople,
  type Way,
  waysFor,
} from '../../core/people/find-people.ts';
import { peopleByStatus } from '../../core/people/growth.ts';
import { sqlOn } from '../../db/sql.ts';
import { UnavailableError } from '../../domain/errors.ts';
import { type Sent, textOf } from '../fields.ts';
import { type Html, html } from '../html.ts';
import { csrfField, formToken, sendPage } from '../layout.ts';
import { count, counted, leading, time } from '../numbers.ts';
import { readSearch, type Search, searchPath } from './find.ts';
import { mayImport } from './import-list.ts';
import { inTime } from './in-time.ts';
import { nameOf, personMark, STATUS_WORDS } from './words.ts';

const FEW = 10;
const PAGE = 50;

const TITLES: Record<Way, string> = {
  address: 'By address',
  last_name: 'By last name',
  first_name: 'By first name',
  name: 'By first and last name',
};

/** `/console/people/`: how many there are, and who is looked for. */
export function registerPeopleSearch(app: FastifyInstance, context: ApiContext): void {
  const { pool, env } = context;

  // By POST, and from there to a sealed address, so that nobody's name or address stands in one.
  app.post('/console/people/', page('user:read'), async (request, reply) => {
    const words = textOf(request.body as Sent, 'words')
      .replaceAll('\0', '')
      .trim()
      .replace(/\s+/g, ' ');
    if (words === '') return reply.redirect('/console/people/', 303);
    if (words.length > LONGEST_SEARCH) {
      return show(request, reply.code(400), { words: '', found: problem(`A search has at most ${LONGEST_SEARCH} characters.`) });
    }
    const id = /^\d+$|@.+\./.test(words) ? await findPerson(sqlOn(pool), words) : null;
    return reply.redirect(id ? `/console/people/${id}/` : searchPath(env.SECRET_KEY, { words, way: null, after: null }), 303);
  });

  app.get('/console/people/', page('user:read'), async (request, reply) => {
    const search = readSearch(env.SECRET_KEY, (request.query as Record<string, unknown>)['find']);
    if (!search) return show(request, reply, { words: '', found: await newest(request) });
    return show(request, reply, { words: search.words, found: await look(request, search) });
  });

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    { words, found }: { words: string; found: Html },
  ): Promise<FastifyReply> {
    const { people: counts, erased } = await peopleByStatus(sqlOn(pool));
    const all = Object.values(counts).reduce((sum, many) => sum + many, 0);
    const statuses = Object.entries(STATUS_WORDS).filter(([status]) => counts[status]);
    const content = html`<div class="head first"><h1>People</h1>${mayImport(request) ? html`<a class="button main" href="/console/imports/">Import people</a>` : ''}</div>
${leading(all, 'person', 'people')}
<p class="small">${statuses.map(([status, word], n) => html`${n ? ' · ' : ''}${count(counts[status]!)} ${word.toLowerCase()}`)}</p>${erased ? html`<p class="small">Beside them ${counted(erased, 'record is', 'records are')} left of people who were erased.</p>` : ''}
<form method="post" action="/console/people/" role="search" class="find seek">${csrfField(formToken(request, reply))}<label for="words">Name, email address or id</label>
<div><input id="words" name="words" type="search" value="${words}" maxlength="${LONGEST_SEARCH}" required spellcheck="false" autocapitalize="none"><button class="main">Search</button></div></form>
${found}`;
    return sendPage(request, reply, env, { title: 'People', content });
  }

  async function newest(request: FastifyRequest): Promise<Html> {
    const people = await newestPeople(sqlOn(pool), FEW);
    if (people.length > 0) return section('newest', 'Who came last', people);
    return html`<p class="none">There is nobody yet. ${mayImport(request) ? html`<a href="/console/imports/">Import a file of people</a>, or h` : 'H'}ave them act on a page: <code>POST /rest/v1/action/</code>.</p>`;
  }

  async function look(request: FastifyRequest, search: Search): Promise<Html> {
    const { words, after } = search;
    const read = (way: Way) => inTime(context, request, (sql) => findPeople(sql, way, words, search.way ? PAGE : FEW, after));
    try {
      if (search.way) {
        const { people, next } = await read(search.way);
        const link =
          next &&
          html`<nav class="pager" aria-label="Pages"><a href="${searchPath(env.SECRET_KEY, { ...search, after: next })}" rel="next">After →</a></nav>`;
        return html`${section(search.way, TITLES[search.way], people)}${link}`;
      }
      const found: [Way, FoundPage][] = [];
      for (const way of waysFor(words)) found.push([way, await read(way)]);
      const sections = found.filter(([, { people }]) => people.length > 0);
      if (sections.length === 0)
        return html`<p class="none" role="status">Nobody is found by “${words}”. Names and addresses are found by how they begin.</p>`;
      return html`${sections.map(([way, { people, next }]) => section(way, TITLES[way], people, next && searchPath(env.SECRET_KEY, { words, way, after: null })))}`;
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return problem(`Too many people begin like “${words}” to be looked through: write more of it, or search by address.`);
    }
  }
}

const problem = (words: string): Html => html`<div class="note bad" role="alert"><p>${words}</p></div>`;

function section(id: string, title: string, people: FoundPerson[], more: string | null = null): Html {
  return html`<section aria-labelledby="${id}"><div class="head"><h2 id="${id}">${title}</h2>${more ? html`<a class="more" href="${more}">More</a>` : ''}</div>
${people.length ? html`<ul class="rows people">${people.map(personRow)}</ul>` : html`<p class="none">Nobody else.</p>`}</section>`;
}

function personRow(person: FoundPerson): Html {
  const { id, email, city, state, country, subscription_status: status, created_at } = person;
  return html`<li><div class="what"><a href="/console/people/${id}/">${nameOf(person)}</a><small>${email} · ${id}</small></div><div>${personMark(status)}</div><div class="far">${[city, state || country].filter(Boolean).join(', ')}</div><div class="when"><small>since</small> ${time(created_at)}</div></li>`;
}
