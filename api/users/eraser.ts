import { setTimeout as later } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ERASE_OPTIONS } from '../../core/people/belongings.ts';
import { addErasure, type ErasureWish, erasureState } from '../../core/people/erasure-job.ts';
import { readReference } from '../../core/references.ts';
import { InputError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { readBody, readBoolean, readText } from '../../domain/values.ts';
import { startOf } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON, errorsBody, withLocation } from '../resource/answers.ts';
import { DESCRIBES_ONLY } from '../resource/routes.ts';
import { booleanTaken } from '../resource/taken.ts';
import { inTransaction } from '../resource/write.ts';
import { requires } from '../route-options.ts';
import { startSoon } from './start-soon.ts';

/** A request waits so long for its erasure; a longer one goes on behind the same answer. */
const PATIENCE_MS = 10_000;
const FIRST_LOOK_MS = 30;

/** `POST /rest/v1/eraser/`: empties a user. Not to be undone. */
export function registerEraser(app: FastifyInstance, context: ApiContext): void {
  const { env, pool } = context;
  const code = env.API_STATUS_CODES === 'live' ? 201 : 303;
  const schema = {
    tags: ['Users'],
    summary: 'Erase the data of a user',
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    body: {
      type: 'object',
      description: 'Exactly one of user_id and email.',
      properties: {
        user_id: { type: 'integer' },
        email: { type: 'string' },
        order_user_details: booleanTaken('Clears the names and addresses kept with orders and donation attempts.'),
        user_fields: booleanTaken('Deletes custom user fields.'),
        action_fields: booleanTaken('Deletes custom fields of actions and events.'),
        transactional_mailings: booleanTaken('Clears the address from confirmations sent.'),
      },
    },
    response: { [code]: withLocation('The user, empty now.'), 400: errorsBody('Input that cannot be used.'), ...COMMON },
  };
  app.post('/rest/v1/eraser/', { ...DESCRIBES_ONLY, ...requires('user:erase', { forms: true }), schema }, async (request, reply) => {
    const wish = readWish(context, readBody(request.body));
    const { userId, jobId } = await inTransaction(context, (_em, sql) => addErasure(sql, wish));
    await startSoon(context, request.log, startOf('eraseUser', { jobId }, { userId, summary: `Erase user ${userId}` }));
    await settled(jobId);
    return reply
      .code(code)
      .header('location', env.BASE_URL + uriOf('user', userId))
      .send();
  });

  async function settled(jobId: number): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    for (let pause = FIRST_LOOK_MS; Date.now() < until; pause = Math.min(500, pause * 2)) {
      await later(pause);
      const job = await erasureState(pool, jobId);
      if (job?.status === 'failed') throw new InputError({ user_id: job.errors });
      if (job?.status === 'complete') return;
    }
  }
}

function readWish(context: ApiContext, body: Record<string, unknown>): ErasureWish {
  const errors: Record<string, string> = {};
  const attempt = <Value>(field: string, read: (value: unknown) => Value): Value | null => {
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    if (value === undefined || value === null || value === '') return null;
    try {
      return read(value);
    } catch (error) {
      errors[field] = `${field} ${(error as Error).message}.`;
      return null;
    }
  };
  const userId = attempt('user_id', (value) => readReference(context, 'user', value));
  const email = attempt('email', (value) => readText(value).trim());
  const options = ERASE_OPTIONS.filter((option) => attempt(option, readBoolean));
  const given = ['user_id', 'email'].filter((field) => (body[field] ?? '') !== '');
  if (given.length !== 1) {
    for (const field of ['user_id', 'email']) errors[field] = 'Exactly one of user_id and email is required.';
  }
  if (Object.keys(errors).length > 0) throw new InputError(errors);
  return { userId, email, options };
}
