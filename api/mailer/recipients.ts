import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mustExist } from '../../core/mailings/existing.ts';
import { readRecipients } from '../../core/sending/recipients-by-state.ts';
import { RequestError } from '../../domain/errors.ts';
import { MAX_INT } from '../../domain/values.ts';
import { LEDGER_STATE, type LedgerStateName } from '../../domain/words.ts';
import type { ApiContext } from '../deps.ts';
import { errorsBody } from '../resource/answers.ts';
import { DEFAULT_LIMIT, MAX_LIMIT, type QueryParameters, readPaging } from '../resource/query.ts';
import { pageMeta } from '../resource/read.ts';
import { idOf } from '../resource/routes.ts';
import { collectionSchema } from '../resource/schema.ts';
import { takes } from '../validation/takes.ts';
import { mailingRoute } from './action-route.ts';
import { TIMESTAMP } from './poll.ts';

/** Recipients who did not simply get their mail, by what became of it. */
const LISTED: Partial<Record<LedgerStateName, string>> = {
  uncertain: 'Recipients of whom nobody can know whether they got the mail',
  failed: 'Recipients whose mail the relay refused for good',
  skipped: 'Recipients who were passed over, and why',
};

/** GET /rest/v1/mailer/{id}/uncertain/, /failed/ and /skipped/: pages of the send ledger. */
export function registerRecipients(app: FastifyInstance, context: ApiContext): void {
  for (const [name, summary] of Object.entries(LISTED)) {
    const answers = { 200: collectionSchema(RECIPIENT), 400: errorsBody('Paging that cannot be used.') };
    const options = mailingRoute('mailer:read', summary, answers, { querystring: QUERY });
    const preValidation = (request: FastifyRequest) => mustExist(context.pool, idOf(request));
    app.get(`/rest/v1/mailer/:id/${name}/`, { ...options, preValidation }, async (request) => {
      const id = idOf(request);
      const page = { ...readPaging(request.query as QueryParameters), kept: [] };
      const { rows, total } = await context.longReads.inTurn(request, (pool) =>
        readRecipients(pool, id, LEDGER_STATE[name as LedgerStateName], page),
      );
      return { meta: pageMeta(`/rest/v1/mailer/${id}/${name}/`, page, total), objects: rows };
    });
  }
}

/** The position behind which a page begins. @throws RequestError */
function readAfter({ _after: given }: QueryParameters): number | null {
  if (given === undefined) return null;
  const position = typeof given === 'string' && /^[1-9]\d{0,9}$/.test(given) ? Number(given) : 0;
  if (position < 1 || position > MAX_INT) throw new RequestError({ _after: '_after must be a position, as a next has it.' });
  return position;
}

const RECIPIENT = {
  type: 'object',
  required: ['user', 'position', 'detail', 'changed_at'],
  properties: {
    user: {
      type: ['string', 'null'],
      format: 'uri-reference',
      description: 'Null of one who was deleted since, or merged with somebody else in the mailing.',
    },
    position: { type: 'integer', description: 'Place in the set; the subject goes by it.' },
    detail: { type: 'string', description: 'The relay’s reply, or our reason.' },
    changed_at: TIMESTAMP,
  },
};

const QUERY = takes(
  'paging',
  {
    type: 'object',
    properties: {
      _limit: { type: 'integer', minimum: 0, default: DEFAULT_LIMIT, description: `At most ${MAX_LIMIT}; 0 is the most.` },
      _offset: { type: 'integer', minimum: 0, default: 0 },
      _after: {
        type: 'string',
        description: 'The position behind which the page begins, from a next; _offset is a number for the reader then.',
      },
    },
  },
  (query) => {
    readPaging(query as QueryParameters);
    readAfter(query as QueryParameters);
  },
);
