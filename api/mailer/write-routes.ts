import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mustExist, statusOf } from '../../core/mailings/existing.ts';
import { holdForChange } from '../../core/mailings/hold-for-change.ts';
import { prepareAhead } from '../../core/mailings/input/raw-sql.ts';
import { createMailing, updateMailing } from '../../core/mailings/write-mailing.ts';
import { once } from '../../core/once.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError, UnavailableError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { isEmptyList, readBody } from '../../domain/values.ts';
import { MESSAGE, workflowId } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { inTransaction } from '../in-transaction.ts';
import { COMMON, empty, errorsBody, errorsOrText, withLocation } from '../resource/answers.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { requires } from '../route-options.ts';
import { mailingBody } from './body-schema.ts';
import { inputContext } from './input-context.ts';

const REFUSED = { 400: errorsOrText('Input that cannot be used.'), ...COMMON };

/** POST of the mailer collection and PATCH of a mailing. */
export function registerMailerWrites(app: FastifyInstance, context: ApiContext): void {
  const { env } = context;
  const writes = requires('mailer:write');

  const createSchema = {
    tags: ['Mailer'],
    summary: 'Create a mailing',
    headers: IDEMPOTENCY_KEY,
    body: mailingBody(context, true),
    response: { 201: withLocation('Created.'), ...REFUSED },
  };
  const fill = async ({ body }: FastifyRequest) => fillSides(body);
  app.post('/rest/v1/mailer/', { ...writes, preValidation: fill, schema: createSchema }, async (request, reply) => {
    const prepared = await prepareAhead(request.body, null, inputContext(context, sqlOn(context.pool), request));
    const id = await inTransaction(context, (_em, sql) =>
      once(sql, repeatable(request), () => createMailing(request.body, inputContext(context, sql, request, prepared))),
    );
    return reply
      .code(201)
      .header('location', env.BASE_URL + uriOf('mailer', id))
      .send();
  });

  const updateSchema = {
    tags: ['Mailer'],
    summary: 'Change what is sent of a mailing',
    description:
      'Sub-fields of includes and excludes that are sent replace those stored; the others stay. From queue on the content is frozen. The targeting may ' +
      'be changed at any time, the rate with it: what is being sent goes on to its audience at its rate, and what waits is not sent to a set that is out of date.',
    params: ID_PARAMETER,
    body: mailingBody(context, false),
    response: {
      202: empty('Changed.'),
      404: empty('Absent.'),
      409: errorsBody('targeting_version is not the stored one; nothing was changed.'),
      ...REFUSED,
    },
  };
  const preValidation = async (request: FastifyRequest) => {
    fillSides(request.body);
    await mustExist(context.pool, idOf(request));
  };
  app.patch('/rest/v1/mailer/:id/', { ...writes, preValidation, schema: updateSchema }, async (request, reply) => {
    await changeMailing(context, request, idOf(request), request.body);
    return reply.code(202).send();
  });
}

/** A side in which nothing is, as PHP writes it, changes as much as an empty object: nothing. */
function fillSides(body: unknown): void {
  const sides = (body ?? {}) as Record<string, unknown>;
  for (const side of ['includes', 'excludes']) if (isEmptyList(sides[side])) sides[side] = {};
}

/**
 * Changes a mailing as a request asks, and has a waiting run know of a new time.
 * @param first looks, while nobody else can change the mailing, whether it is still to be changed; throws where it is not
 * @throws what `first` and `updateMailing` throw; UnavailableError when a run would have to be told and cannot be
 */
export async function changeMailing(
  context: ApiContext,
  request: FastifyRequest,
  id: number,
  body: unknown,
  first?: () => Promise<void>,
): Promise<void> {
  const moves = Object.hasOwn(readBody(body), 'scheduled_for') && (await statusOf(context.pool, id)) === 'scheduled';
  // A new time has to reach the waiting run: asked first, so that nothing is written when it could not be told.
  if (moves) await context.workflows.ready();
  const prepared = await prepareAhead(body, id, inputContext(context, sqlOn(context.pool), request));
  const { status, changed } = await inTransaction(context, async (_em, sql) => {
    const about = inputContext(context, sql, request, prepared);
    if (first) {
      await holdForChange(id, body, about);
      await first();
    }
    return updateMailing(id, body, about);
  });
  if (status === 'scheduled' && changed.has('scheduled_for')) await tellRun(context, id, request);
}

/** The run reads the new time from the row; one that cannot be told reads it at the old time, or when it is started. */
async function tellRun({ workflows }: ApiContext, id: number, request: FastifyRequest): Promise<void> {
  try {
    await workflows.signal(workflowId.sendMailing(id), MESSAGE.reschedule);
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof UnavailableError)) throw error;
    request.log.warn({ mailingId: id }, 'the run of a rescheduled mailing could not be told');
  }
}
