import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mustExist } from '../../core/mailings/existing.ts';
import { targetingWith } from '../../core/mailings/write-mailing.ts';
import {
  type Audience,
  type AudienceCounts,
  type CountDeps,
  countAudience,
  explainAudience,
  narrowedBy,
  PATIENCE_MS,
  readCounted,
} from '../../core/targeting/explain-audience.ts';
import { sqlOn } from '../../db/sql.ts';
import type { ApiContext } from '../deps.ts';
import { callerGone } from '../plugins/caller-gone.ts';
import { idOf } from '../resource/routes.ts';
import { Slots } from '../slots.ts';
import { mailingRoute, REFUSED } from './action-route.ts';
import { inputContext } from './input-context.ts';

/** GET /rest/v1/mailer/{id}/audience/: who is meant, in words, with a count for each clause. Nothing is saved. */
export function registerAudience(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute('mailer:read', 'Who the targeting means, counted now', { 200: DOCUMENT, 400: REFUSED });
  app.get('/rest/v1/mailer/:id/audience/', options, async (request) => {
    const { settled: _, ...shown } = await explainInTurn(context, idOf(request), request);
    return shown;
  });
}

// One count at a time in a process, by turns of the accounts: each may read everything there is about everybody.
const turns = new Slots(1, 2 * PATIENCE_MS, 'counts are running');

/**
 * Who is meant, in words, with a count for each clause.
 * @throws NotFoundError; InputError where the targeting cannot be asked; UnavailableError where counting takes too long
 */
export async function explainInTurn(context: ApiContext, id: number, request: FastifyRequest): Promise<Audience> {
  await mustExist(context.pool, id);
  return inTurn(context, request, (deps) => explainAudience(deps, id));
}

/** How long is waited for counts while somebody chooses. */
const CHOOSING_MS = 10_000;

/**
 * How many a mailing would go to if it were changed like this. Nothing is saved.
 * @param body as a change of a mailing takes it
 * @throws NotFoundError; InputError where the targeting cannot be asked; UnavailableError where counting takes too long
 */
export async function countInTurn(context: ApiContext, id: number, request: FastifyRequest, body: unknown): Promise<AudienceCounts> {
  const stored = await readCounted(context, id);
  const counted = await targetingWith(stored, body, inputContext(context, sqlOn(context.pool), request));
  return inTurn(context, request, (deps) =>
    countAudience({ ...deps, patienceMs: CHOOSING_MS }, id, { ...counted, ...narrowedBy(counted) }),
  );
}

async function inTurn<Counts>({ env, longReads }: ApiContext, request: FastifyRequest, count: (deps: CountDeps) => Promise<Counts>) {
  const signal = callerGone(request);
  const release = await turns.take(request.account?.id ?? 0, signal);
  try {
    return await count({ env, pool: longReads.pool, signal });
  } finally {
    release();
  }
}

const CLAUSES = {
  type: 'array',
  items: {
    type: 'object',
    required: ['field', 'text', 'count'],
    properties: {
      field: { type: 'string' },
      text: { type: 'string', description: 'What it says of a person.' },
      count: { type: 'integer', description: 'Whom it means, alone, among the reachable.' },
    },
  },
};

const DOCUMENT = {
  type: 'object',
  required: [
    'mailing_id',
    'targeting_version',
    'text',
    'reachable',
    'includes',
    'included',
    'excludes',
    'excluded',
    'limit',
    'sort_by',
    'people',
    'sample',
  ],
  properties: {
    mailing_id: { type: 'integer' },
    targeting_version: { type: 'integer' },
    text: { type: 'string', description: 'The whole targeting in a sentence.' },
    reachable: { type: 'integer', description: 'Subscribed to something, and not blackholed.' },
    includes: CLAUSES,
    included: { type: 'integer', description: 'Meant by all includes.' },
    excludes: CLAUSES,
    excluded: { type: 'integer', description: 'Of these, meant by an exclude.' },
    limit: { type: ['integer', 'null'] },
    sort_by: { type: ['string', 'null'] },
    people: { type: 'integer', description: 'Whom a rebuild would put into the set now.' },
    sample: {
      type: ['integer', 'null'],
      description: 'How many people were looked at where there are very many: the counts are made up from them. Null where everybody was.',
    },
  },
};
