import type { FastifyInstance } from 'fastify';
import { isThere } from '../../db/pool.ts';
import type { ApiDeps } from '../deps.ts';
import { open } from '../route-options.ts';

const PATIENCE_MS = 3_000;

/** `/health/live`: the process answers. `/health/ready`: so do the database and the workflow service. */
export function registerHealth(app: FastifyInstance, { pool, workflows }: ApiDeps): void {
  const body = {
    type: 'object',
    required: ['status'],
    properties: { status: { type: 'string' } },
    additionalProperties: { type: 'string' },
  };
  const live = { tags: ['Health'], summary: 'The process answers', response: { 200: body } };
  app.get('/health/live', { ...open({ uncounted: true }), schema: live }, () => ({ status: 'ok' }));

  const ready = { tags: ['Health'], summary: 'Database and workflow service answer', response: { 200: body, 503: body } };
  app.get('/health/ready', { ...open({ uncounted: true }), schema: ready }, async (_request, reply) => {
    const [database, workflow] = await Promise.all([answers(isThere(pool)), answers(workflows.ready())]);
    const ok = database && workflow;
    return reply.code(ok ? 200 : 503).send({ status: ok ? 'ok' : 'unavailable', database: word(database), workflows: word(workflow) });
  });
}

const word = (answered: boolean) => (answered ? 'ok' : 'away');

async function answers(asked: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  const answered = asked.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
