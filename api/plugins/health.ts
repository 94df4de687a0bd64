import type { FastifyInstance } from 'fastify';
import type { Env } from '../../config/env.ts';
import { certificateThatRanOut } from '../../config/temporal-certificate.ts';
import { inTime } from '../../domain/in-time.ts';
import type { ApiContext } from '../deps.ts';
import { open } from '../route-options.ts';
import type { WorkflowGateway } from '../workflow-gateway.ts';

const PATIENCE_MS = 3_000;
/** For a reason, where all of that is over: who asks, a proxy above all, takes an answer after four seconds for none. */
const LEAST_MS = 500;

/** That it is well is believed for so long, as of the database. */
const ASKED_AGAIN_MS = 1_000;

/** One question at a time, for all who ask: anybody may, as often as they like, and each question is two to the workflow service. */
function service(workflows: WorkflowGateway): () => Promise<string> {
  let asking: Promise<string> | null = null;
  let wellAt = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<string> => {
    try {
      await workflows.ready();
      wellAt = performance.now();
      return 'ok';
    } catch {
      return 'away';
    } finally {
      asking = null;
    }
  };
  return async () => {
    if (performance.now() - wellAt < ASKED_AGAIN_MS) return 'ok';
    asking ??= ask();
    return asking;
  };
}

/** Looks for all who ask at the same time once. */
function whyAway(env: Env): () => Promise<string | null> {
  let looking: Promise<string | null> | null = null;
  return () => {
    looking ??= certificateThatRanOut(env)
      .catch(() => null)
      .finally(() => {
        looking = null;
      });
    return looking;
  };
}

/**
 * `/health/live`: the process answers. `/health/ready`: so do the database, which takes changes and confirms them, and the workflow service, which has our namespace; not once the
 * process was told to end, and from then on no connection is kept for a next request. `why` names a certificate that has run out.
 */
export function registerHealth(app: FastifyInstance, { env, database, workflows, ending }: ApiContext): void {
  const why = whyAway(env);
  const answers = service(workflows);
  const body = {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string' } },
    additionalProperties: { type: 'string' },
  };
  const live = { tags: ['Health'], summary: 'The process answers', response: { 200: body } };
  app.get('/health/live', { ...open({ uncounted: true, alike: true }), schema: live }, () => ({ status: 'ok' }));

  app.addHook('onSend', async (_request, reply) => {
    if (ending?.aborted) reply.header('connection', 'close');
  });

  const ready = {
    tags: ['Health'],
    summary: 'Database and workflow service answer, and the database takes changes and confirms them',
    response: { 200: body, 503: body },
  };
  app.get('/health/ready', { ...open({ uncounted: true, alike: true }), schema: ready }, async (_request, reply) => {
    if (ending?.aborted) return reply.code(503).send({ status: 'ending' });
    const asked = performance.now();
    const [state, found] = await Promise.all([database.state(PATIENCE_MS), inTime(answers(), PATIENCE_MS, 'away')]);
    const ok = state === 'ok' && found === 'ok';
    const certificate = found === 'ok' ? null : await inTime(why(), Math.max(LEAST_MS, asked + PATIENCE_MS - performance.now()), null);
    const words = { status: ok ? 'ok' : 'unavailable', database: state, workflows: found };
    return reply.code(ok ? 200 : 503).send({ ...words, ...(certificate && { why: certificate }) });
  });
}
