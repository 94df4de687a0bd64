import type { FastifyInstance, FastifyRequest } from 'fastify';
import { page } from '../../api/accounts/session.ts';
import type { ApiContext } from '../../api/deps.ts';
import { countInTurn } from '../../api/mailer/audience.ts';
import { inputContext } from '../../api/mailer/input-context.ts';
import { idOf } from '../../api/resource/routes.ts';
import { searchChoices } from '../../core/mailings/choices.ts';
import { targetingWith } from '../../core/mailings/write-mailing.ts';
import { type AudienceCounts, readCounted } from '../../core/targeting/explain-audience.ts';
import { shownSides } from '../../core/targeting/shown.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, NotFoundError, UnavailableError, UnknownListError } from '../../domain/errors.ts';
import type { Sent } from '../fields.ts';
import type { Html } from '../html.ts';
import { readMailing } from '../mailings/mailing-document.ts';
import { count, people } from '../numbers.ts';
import { audienceWords, type Described } from './audience.ts';
import { NAMED, type Named, wantedOf } from './audience-fields.ts';

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
      if (error instanceof InputError) return reply.code(400).send({ problems: Object.values(error.fields).flat() });
      if (error instanceof UnknownListError) return reply.code(400).send({ problems: [error.message] });
      if (error instanceof UnavailableError) return reply.code(503).send({ problems: [error.message] });
      throw error;
    }
  });

  app.get('/console/choices/:kind', page('mailer:read'), async (request) => {
    const { kind } = request.params as { kind: string };
    if (!Object.hasOwn(NAMED, kind)) throw new NotFoundError();
    const { q } = request.query as Record<string, unknown>;
    const words = (typeof q === 'string' ? q : '').replaceAll('\0', '').toWellFormed().trim().slice(0, LONGEST_WORDS);
    const found = await searchChoices(context.longReads.of(request), kind as Named, words, MOST_FOUND);
    return { found: found.slice(0, MOST_FOUND), more: found.length > MOST_FOUND };
  });
}

/** Whom the form means, in the words there would be if it were saved. */
async function wordsOf(context: ApiContext, request: FastifyRequest, id: number, wanted: ReturnType<typeof wantedOf>): Promise<Html> {
  const sql = sqlOn(context.pool);
  const { includes, excludes, limit } = await targetingWith(await readCounted(context, id), wanted, inputContext(context, sql, request));
  const sides = await shownSides(sql, { includes, excludes });
  return audienceWords({ ...(await readMailing(context, id)), ...sides, limit, sort_by: wanted.sort_by as Described['sort_by'] });
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
