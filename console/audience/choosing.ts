import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { countInTurn } from '../../api/mailer/audience.ts';
import { inputContext } from '../../api/mailer/input-context.ts';
import { idOf } from '../../api/resource/routes.ts';
import { can } from '../../api/route-options.ts';
import { searchChoices } from '../../core/mailings/choices.ts';
import { targetingWith } from '../../core/mailings/write-mailing.ts';
import { findPeople, waysFor } from '../../core/people/find-people.ts';
import { searchReports } from '../../core/reports/search-reports.ts';
import { type AudienceCounts, readCounted } from '../../core/targeting/explain-audience.ts';
import { searchPlaces } from '../../core/targeting/search-places.ts';
import { shownSides } from '../../core/targeting/shown.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, NotFoundError, PermissionError, UnavailableError, UnknownListError } from '../../domain/errors.ts';
import { likeWords } from '../../domain/like.ts';
import type { Sent } from '../fields.ts';
import type { Html } from '../html.ts';
import { count, people } from '../numbers.ts';
import { inTime } from '../people/in-time.ts';
import { messagesIn } from '../plain-words.ts';
import { namesIn } from '../reports/parameters.ts';
import { audienceWords, type Described } from './audience.ts';
import { NAMED, type Named, NEEDS, WRITTEN, type Written } from './audience-fields.ts';
import { personLabel } from './person-label.ts';
import { wantedOf } from './sent-audience.ts';

const MOST_FOUND = 40;
const LONGEST_WORDS = 100;

/** What the script of the audience's form asks for while somebody chooses: how many and who that would be, and what there is of a name. */
export function registerChoosing(app: FastifyInstance, context: ApiContext): void {
  app.post('/console/mailings/:id/choose/counts', page('mailer:write', { reads: true }), async (request, reply) => {
    try {
      const [id, wanted] = [idOf(request), wantedOf(request.body as Sent)];
      const counts = await countInTurn(context, id, request, wanted);
      return { ...shown(counts), words: String(await wordsOf(context, request, id, wanted)) };
    } catch (error) {
      if (error instanceof InputError) return reply.code(400).send({ problems: messagesIn(error) });
      if (error instanceof UnknownListError) return reply.code(400).send({ problems: [error.message] });
      if (error instanceof PermissionError) return reply.code(403).send({ problems: [`It needs the grant ${error.message}.`] });
      if (error instanceof UnavailableError) return reply.code(503).send({ problems: [error.message] });
      throw error;
    }
  });

  app.get('/console/choices/:kind', page('mailer:read'), async (request) => {
    const { kind } = request.params as { kind: string };
    const words = wordsIn((request.query as Record<string, unknown>)['q']);
    if (Object.hasOwn(NAMED, kind)) return some(await searchChoices(context.longReads.of(request), kind as Named, words, MOST_FOUND));
    if (Object.hasOwn(WRITTEN, kind))
      return some(await inTime(context, request, (sql) => searchPlaces(sql, kind as Written, words, MOST_FOUND)));
    if (kind !== 'query_reports') throw new NotFoundError();
    if (!can(request, NEEDS.query_reports)) throw new PermissionError(NEEDS.query_reports);
    const reports = await searchReports(sqlOn(context.pool), likeWords(words), MOST_FOUND + 1);
    const found = [];
    for (const report of reports) {
      found.push({ value: report.short_name, name: reportLabel(report), parameters: namesIn(report) });
      // Each may be as long as a statement may be.
      await nextTurn();
    }
    return some(found);
  });

  // By POST, so that nobody's name or address stands in an address.
  app.post('/console/choices/users', page(NEEDS.users, { reads: true }), async (request, reply) => {
    const words = wordsIn((request.body as Sent)['q']).replace(/\s+/g, ' ');
    if (words === '') return some([]);
    try {
      return some(await findSome(context, request, words));
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return reply.code(503).send({ problems: ['Too many begin like that: write more of it.'] });
    }
  });
}

/** Text that may be looked for. */
const wordsIn = (given: unknown): string =>
  (typeof given === 'string' ? given : '').replaceAll('\0', '').toWellFormed().trim().slice(0, LONGEST_WORDS);

const some = <Found>(found: Found[]) => ({ found: found.slice(0, MOST_FOUND), more: found.length > MOST_FOUND });

const reportLabel = ({ short_name, name }: { short_name: string; name: string }) => (name ? `${short_name} · ${name}` : short_name);

/** People by what they are called, each once, as the page of people finds them. */
async function findSome(context: ApiContext, request: FastifyRequest, words: string): Promise<{ id: number; name: string }[]> {
  const found = new Map<number, string>();
  for (const way of waysFor(words)) {
    const { people: page } = await inTime(context, request, (sql) => findPeople(sql, way, words, MOST_FOUND + 1));
    for (const person of page) found.set(person.id, personLabel(person));
    if (found.size > MOST_FOUND) break;
  }
  return [...found].map(([id, name]) => ({ id, name }));
}

/** Whom the form means, in the words there would be if it were saved. */
async function wordsOf(context: ApiContext, request: FastifyRequest, id: number, wanted: ReturnType<typeof wantedOf>): Promise<Html> {
  const sql = sqlOn(context.pool);
  const after = await targetingWith(await readCounted(context, id), wanted, inputContext(context, sql, request));
  const sides = await shownSides(sql, after);
  const { limit, target_mergefile, target_group_from_landing_page } = after;
  const sort_by = ('sort_by' in wanted ? wanted.sort_by : after.sort_by) as Described['sort_by'];
  return audienceWords({ ...sides, limit, sort_by, target_mergefile, target_group_from_landing_page });
}

/** Counts as words, by the field of the form they are of. */
function shown({ clauses, people: all, reachable, sample }: AudienceCounts) {
  const about = (value: number) => `${sample === null ? '' : 'about '}${people(value)}`;
  return {
    counts: Object.fromEntries(clauses.map(({ side, field, count: many }) => [`${side}.${field}`, about(many)])),
    people: count(all),
    said: `${sample === null ? '' : 'About '}${people(all)} of ${count(reachable)} who can be mailed at all would get it.${
      sample === null ? '' : ` Made up from ${count(sample)} picked at random.`
    }`,
  };
}
