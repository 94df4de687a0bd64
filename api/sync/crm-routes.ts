import type { FastifyInstance, preValidationHookHandler } from 'fastify';
import { addMapping, disconnectMapping, requestSync } from '../../core/crm/requests.ts';
import { once } from '../../core/once.ts';
import { readReference } from '../../core/references.ts';
import { CrmMapError, UnavailableError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { readBody } from '../../domain/values.ts';
import { MESSAGE, startOf } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { inTransaction } from '../in-transaction.ts';
import { COMMON, empty, withLocation } from '../resource/answers.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { requires } from '../route-options.ts';
import { REFUSE } from '../validation/refusal.ts';
import { takes } from '../validation/takes.ts';

const REFUSED = {
  description: 'The sync is switched off, or this cannot be done.',
  content: {
    'application/json': {
      schema: { type: 'object', properties: { errors: { type: 'object', properties: { crmmap: { type: 'string' } } } } },
    },
  },
};
const about = { tags: ['CRM and partners'] };

/**
 * What is asked of the CRM sync. The row is written first and says all there is to do; then its run is told. A run that could not be told,
 * because the workflow service was away or we were killed in between, is started by the sweep.
 */
export function registerCrmSync(app: FastifyInstance, context: ApiContext): void {
  const { env } = context;
  const preValidation: preValidationHookHandler = (_request, _reply, done) =>
    done(env.CRM_KIND === 'none' ? new CrmMapError('The CRM sync is switched off.') : undefined);
  const allow = { ...requires('crmmap:write', { forms: true }), preValidation };

  const create = {
    ...about,
    summary: 'Add a user to the CRM sync and send at once',
    headers: IDEMPOTENCY_KEY,
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    body: {
      type: 'object',
      required: ['user_id'],
      properties: { user_id: takes('reference', { type: 'integer', description: 'A string of digits will do.' }, readUserId) },
      [REFUSE]: () => new CrmMapError('user_id is required.'),
    },
    response: {
      201: withLocation('Added.'),
      400: REFUSED,
      409: { ...REFUSED, description: 'There already; Location is the mapping.' },
      ...COMMON,
    },
  };
  app.post('/rest/v1/crmmap/', { ...allow, schema: create }, async (request, reply) => {
    const userId = readUserId(readBody(request.body)['user_id']);
    const id = await inTransaction(context, (_em, sql) => once(sql, repeatable(request), () => addMapping(sql, userId)));
    await tell(id, userId);
    return reply
      .code(201)
      .header('location', env.BASE_URL + uriOf('crmmap', id))
      .send();
  });

  const ask = (summary: string) => ({
    ...about,
    summary,
    params: ID_PARAMETER,
    response: { 202: empty('Asked for.'), 400: REFUSED, 404: empty('Absent.'), ...COMMON },
  });
  app.post('/rest/v1/crmmap/:id/sync_user/', { ...allow, schema: ask("Sync the mapping's user now") }, async (request, reply) => {
    const id = idOf(request);
    const mapping = await inTransaction(context, (_em, sql) => requestSync(sql, id));
    await tell(mapping.id, mapping.user_id);
    return reply.code(202).send();
  });

  const disconnect = ask("Remove the mapping's user from the sync");
  app.post('/rest/v1/crmmap/:id/disconnect_user/', { ...allow, schema: disconnect }, async (request, reply) => {
    const id = idOf(request);
    const mapping = await inTransaction(context, (_em, sql) => disconnectMapping(sql, id));
    await tell(mapping.id, mapping.user_id);
    return reply.code(202).send();
  });

  function readUserId(given: unknown): number {
    if (given === undefined || given === null) throw new CrmMapError('user_id is required.');
    try {
      return readReference(context, 'user', given);
    } catch {
      throw new CrmMapError('user_id must be the id of a user.');
    }
  }

  async function tell(mapId: number, userId: number | null): Promise<void> {
    const start = startOf('syncUser', { mapId }, { userId });
    try {
      await context.workflows.signalWithStart(start, MESSAGE.sync);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }
}
