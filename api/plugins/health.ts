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

const service = (workflows: WorkflowGateway): Promise<string> =>
  workflows.ready().then(
    () => 'ok',
    () => 'away',
  );

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
    const [state, found] = await Promise.all([database.state(PATIENCE_MS), inTime(service(workflows), PATIENCE_MS, 'away')]);
    const ok = state === 'ok' && found === 'ok';
    const certificate = found === 'ok' ? null : await inTime(why(), Math.max(LEAST_MS, asked + PATIENCE_MS - performance.now()), null);
    const words = { status: ok ? 'ok' : 'unavailable', database: state, workflows: found };
    return reply.code(ok ? 200 : 503).send({ ...words, ...(certificate && { why: certificate }) });
  });
}
