import type { FastifyInstance } from 'fastify';
import { readRebuild } from '../../core/targeting/rebuild-state.ts';
import { requestRebuild } from '../../core/targeting/request-rebuild.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { readBody, readBoolean } from '../../domain/values.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { stateOfJob } from '../asked-run.ts';
import { asking } from '../asking.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { withLocation } from '../resource/answers.ts';
import { idOf } from '../resource/routes.ts';
import { booleanTaken } from '../validation/takes.ts';
import { mailingRoute, onlyFields, REFUSED } from './action-route.ts';
import { JOB_PARAMETERS, jobOf, TIMESTAMP } from './poll.ts';

/** POST /rest/v1/mailer/{id}/rebuild/ and the address it can be watched at. */
export function registerRebuild(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute(
    'mailer:write',
    'Build the set of users',
    { 201: withLocation('Asked for, or under way already; Location is where to watch it.'), 400: REFUSED },
    {
      forms: true,
      headers: IDEMPOTENCY_KEY,
      body: onlyFields({ fast_rebuild: FAST }),
      querystring: { type: 'object', properties: { fast_rebuild: FAST } },
    },
  );
  app.post('/rest/v1/mailer/:id/rebuild/', options, async (request, reply) => {
    const id = idOf(request);
    const { fast_rebuild: inBody } = readBody(request.body);
    const fast = readFast(inBody ?? (request.query as { fast_rebuild?: string }).fast_rebuild);
    const again = repeatable(request, { query: request.query, body: request.body });
    const asked = { mailingId: id, accountId: request.account!.id, fast, again };
    const jobId = await requestRebuild(asking(context, 'rebuildTargets'), asked);
    return reply.code(201).header('location', `${context.env.BASE_URL}/rest/v1/mailer/${id}/rebuild/status/${jobId}/`).send();
  });

  const poll = mailingRoute('mailer:read', 'How a rebuild is getting on', { 200: DOCUMENT }, { params: JOB_PARAMETERS });
  app.get('/rest/v1/mailer/:id/rebuild/status/:job/', poll, async (request) => {
    const [mailingId, jobId] = [idOf(request), jobOf(request)];
    const rebuild = await stateOfJob(
      { workflows: context.workflows, log: request.log },
      {
        run: workflowId.rebuildTargets(mailingId, jobId),
        read: () => readRebuild(context.pool, mailingId, jobId),
        over: ({ finished }) => finished,
      },
    );
    if (!rebuild) throw new NotFoundError();
    return rebuild;
  });
}

const DOCUMENT = {
  type: 'object',
  required: ['finished', 'success', 'started_at', 'finished_at', 'results', 'errors'],
  properties: {
    finished: { type: 'boolean' },
    success: { type: 'boolean' },
    started_at: TIMESTAMP,
    finished_at: TIMESTAMP,
    results: { type: ['integer', 'null'], description: 'Users in the set, after limit.' },
    fast: {
      type: 'boolean',
      description:
        'Of one that was asked for with fast_rebuild and has succeeded: true where only those changed since the last one were looked at, false where everybody was.',
    },
    errors: { type: 'array', items: { type: 'string' } },
  },
};

function readFast(value: unknown): boolean {
  try {
    return readBoolean(value ?? false);
  } catch {
    throw new Error('must be 0 or 1');
  }
}

const FAST = booleanTaken(
  '1: only those changed since the set was built, where that is known to give what a full rebuild gives; else a full one.',
  readFast,
);
