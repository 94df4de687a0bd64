import { setTimeout as later } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { forgetPush, once, type Repeatable } from '../../core/once.ts';
import { ERASE_OPTIONS } from '../../core/people/belongings.ts';
import { addErasure, type ErasureWish, erasureState, hasFailed, userOfErasure } from '../../core/people/erasure-job.ts';
import { readReference } from '../../core/references.ts';
import { InputError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { readBody, readBoolean, readText } from '../../domain/values.ts';
import { addressKey } from '../../mail/address.ts';
import { startOf, workflowId } from '../../workflows/contracts.ts';
import { stateOfJob } from '../asked-run.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { inTransaction } from '../in-transaction.ts';
import { COMMON, errorsBody, withLocation } from '../resource/answers.ts';
import { requires } from '../route-options.ts';
import { booleanTaken, takes } from '../validation/takes.ts';
import { startSoon } from './start-soon.ts';

/** A request waits so long for its erasure; a longer one goes on behind the same answer. */
const PATIENCE_MS = 10_000;
const FIRST_LOOK_MS = 30;

/** `POST /rest/v1/eraser/`: empties a user. Not to be undone. */
export function registerEraser(app: FastifyInstance, context: ApiContext): void {
  const { env } = context;
  const code = env.API_STATUS_CODES === 'live' ? 201 : 303;
  const readUser = (value: unknown) => readReference(context, 'user', value);
  const schema = {
    tags: ['Users'],
    summary: 'Erase the data of a user',
    headers: IDEMPOTENCY_KEY,
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    body: {
      type: 'object',
      oneOf: [{ required: ['user_id'] }, { required: ['email'] }],
      properties: {
        user_id: takes('reference', { type: 'integer' }, orNothing(readUser)),
        email: takes('string', { type: 'string' }, orNothing(readText)),
        order_user_details: booleanTaken('Clears the names and addresses kept with orders and donation attempts.', orNothing(readBoolean)),
        user_fields: booleanTaken('Deletes custom user fields.', orNothing(readBoolean)),
        action_fields: booleanTaken('Deletes custom fields of actions and events.', orNothing(readBoolean)),
        transactional_mailings: booleanTaken('Clears the address from confirmations sent.', orNothing(readBoolean)),
      },
    },
    response: { [code]: withLocation('The user, empty now.'), 400: errorsBody('Input that cannot be used.'), ...COMMON },
  };
  app.post('/rest/v1/eraser/', { ...requires('user:erase', { forms: true }), schema }, async (request, reply) => {
    const userId = await requestErasure(context, request.log, readWish(context, readBody(request.body)), repeatable(request));
    return reply
      .code(code)
      .header('location', env.BASE_URL + uriOf('user', userId))
      .send();
  });
}

/**
 * Has a user erased, and waits for it for a while; a longer one goes on.
 * @param again of a request that may be sent again
 * @returns the id of the user
 * @throws InputError when there is no such user, or the erasure failed
 */
export async function requestErasure(context: ApiContext, log: FastifyBaseLogger, wish: ErasureWish, again?: Repeatable): Promise<number> {
  const { jobId, userId } = await inTransaction(context, async (_em, sql) => {
    const ask = () => once(sql, again, () => addErasure(sql, wish));
    let id = await ask();
    // One that failed has erased nothing: it is not what a later request with its key is answered with.
    if (again && (await hasFailed(sql, id))) {
      await forgetPush(sql, again, id);
      id = await ask();
    }
    return { jobId: id, userId: await userOfErasure(sql, id) };
  });
  await startSoon(context, log, startOf('eraseUser', { jobId }, { userId, summary: `Erase user ${userId}` }));
  await waitFor(context, log, jobId);
  return userId;
}

async function waitFor({ workflows, pool }: ApiContext, log: FastifyBaseLogger, jobId: number): Promise<void> {
  const run = workflowId.eraseUser(jobId);
  const until = performance.now() + PATIENCE_MS;
  for (let pause = FIRST_LOOK_MS; performance.now() < until; pause = Math.min(500, pause * 2)) {
    await later(pause);
    // It is asked for, and will be done: that it cannot be watched is no failure of it.
    const job = await stateOfJob(
      { workflows, log },
      { run, read: () => erasureState(pool, jobId), over: ({ status }) => status !== 'pending' },
    ).catch(() => null);
    if (job?.status === 'failed') throw new InputError({ user_id: job.errors });
    if (job?.status === 'complete') return;
  }
}

/** A form sends what was left empty as an empty text. */
const orNothing =
  <Value>(read: (value: unknown) => Value) =>
  (value: unknown): Value | null =>
    (value ?? '') === '' ? null : read(value);

/** @param body as its schema has it. @throws InputError unless it says whom */
function readWish(context: ApiContext, body: Record<string, unknown>): ErasureWish {
  const userId = orNothing((value) => readReference(context, 'user', value))(body['user_id']);
  const email = orNothing((value) => addressKey(readText(value)))(body['email']);
  const given = ['user_id', 'email'].filter((field) => (body[field] ?? '') !== '');
  if (given.length !== 1) {
    const sentence = 'Exactly one of user_id and email is required.';
    throw new InputError({ user_id: sentence, email: sentence });
  }
  return { userId, email, options: ERASE_OPTIONS.filter((option) => orNothing(readBoolean)(body[option])) };
}
