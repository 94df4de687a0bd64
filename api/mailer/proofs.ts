import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readNamedUsers } from '../../core/mailings/input/users.ts';
import { readProofs } from '../../core/mailings/proof-job.ts';
import { type ProofsBody, type ProofsWish, readAddresses, readProofCount, requestProofs } from '../../core/mailings/request-proofs.ts';
import { missingIds, type ReferenceContext } from '../../core/references.ts';
import { sqlOn } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { readBody, readDate } from '../../domain/values.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { stateOfJob } from '../asked-run.ts';
import { asking } from '../asking.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { withLocation } from '../resource/answers.ts';
import { idOf } from '../resource/routes.ts';
import { orNull, takes } from '../validation/takes.ts';
import { mailingRoute, onlyFields, REFUSED } from './action-route.ts';
import { inputContext } from './input-context.ts';
import { JOB_PARAMETERS, jobOf, TIMESTAMP } from './poll.ts';

/** POST /rest/v1/mailer/{id}/proofs/ and the address it can be watched at. */
export function registerProofs(app: FastifyInstance, context: ApiContext): void {
  const mustExist = async (request: FastifyRequest): Promise<void> => {
    const missing = await missingIds(sqlOn(context.pool), context.registry, 'mailer', [idOf(request)]);
    if (missing.length > 0) throw new NotFoundError();
  };
  const options = mailingRoute(
    'mailer:send',
    'Send proofs',
    { 201: withLocation('Asked for; Location is where to watch it.'), 400: REFUSED },
    { headers: IDEMPOTENCY_KEY, body: bodyOf(context) },
  );
  // A mailing that is not there is said before anything about the body is.
  app.post('/rest/v1/mailer/:id/proofs/', { ...options, preValidation: mustExist }, async (request, reply) => {
    const mailingId = idOf(request);
    const wish = { ...proofsWish(context, request, readBody(request.body)), press: repeatable(request) };
    const jobId = await requestProofs(asking(context, 'sendProofs'), wish);
    return reply.code(201).header('location', `${context.env.BASE_URL}/rest/v1/mailer/${mailingId}/proofs/status/${jobId}/`).send();
  });

  const poll = mailingRoute('mailer:read', 'How proofs are getting on', { 200: DOCUMENT }, { params: JOB_PARAMETERS });
  app.get('/rest/v1/mailer/:id/proofs/status/:job/', poll, async (request) => {
    const [mailingId, jobId] = [idOf(request), jobOf(request)];
    const proofs = await stateOfJob(
      { workflows: context.workflows, log: request.log },
      {
        run: workflowId.sendProofs(mailingId, jobId),
        read: () => readProofs(context.pool, mailingId, jobId),
        over: ({ finished }) => finished,
      },
    );
    if (!proofs) throw new NotFoundError();
    return proofs;
  });
}

/** What the caller of a request asks for: what they may see of it goes by their grants. */
export const proofsWish = (context: ApiContext, request: FastifyRequest, body: ProofsBody): ProofsWish => ({
  mailingId: idOf(request),
  accountId: request.account!.id,
  body,
  asker: (sql) => inputContext(context, sql, request),
});

const bodyOf = (context: ReferenceContext) =>
  onlyFields(
    {
      proofs: takes('integer', { type: 'integer', minimum: 1, maximum: 100, description: 'Samples per reviewer.' }, (value) => {
        if (value === null) throw new InputError({ proofs: 'This field is required.' });
        return readProofCount(value);
      }),
      reviewers: takes(
        'emails',
        {
          type: 'array',
          items: { type: 'string', format: 'email' },
          description: 'Email addresses. Without them: those of the last request, the mailing’s reviewers, or its submitter.',
        },
        orNull(readAddresses),
      ),
      proof_users: takes(
        'references',
        {
          type: 'array',
          items: {},
          description:
            'Users whom proofs are made for: URIs, ids or emails. Without the grant user:read, only the user with the account’s own email; left out, made-up people.',
        },
        orNull((value) => readNamedUsers(value, context)),
      ),
      date: takes('date', { type: 'string', format: 'date', description: 'The day templates see as today.' }, orNull(readDate)),
    },
    ['proofs'],
  );

const DOCUMENT = {
  type: 'object',
  required: ['finished', 'success', 'sent', 'started_at', 'finished_at', 'errors'],
  properties: {
    finished: { type: 'boolean' },
    success: { type: 'boolean' },
    sent: { type: 'integer', description: 'Proofs accepted by the relay.' },
    started_at: TIMESTAMP,
    finished_at: TIMESTAMP,
    errors: { type: 'array', items: { type: 'string' } },
    pause: {
      type: ['object', 'null'],
      description: 'Why none is sent just now; they are tried again.',
      properties: { reason: { type: 'string' } },
    },
  },
};
