import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { once, type Repeatable } from '../../core/once.ts';
import type { MergeWish } from '../../core/people/merge.ts';
import { addMerge } from '../../core/people/merge-job.ts';
import { type ReferenceContext, readReference } from '../../core/references.ts';
import { counted } from '../../domain/counted.ts';
import { InputError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { readBody } from '../../domain/values.ts';
import { UserMerge } from '../../entities/people/jobs.ts';
import { startOf, workflowId } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { inTransaction } from '../in-transaction.ts';
import { COMMON, errorsBody, withLocation } from '../resource/answers.ts';
import { resource } from '../resource/declare.ts';
import { takesForm } from '../resource/form.ts';
import { EXACT, SINCE } from '../resource/operators.ts';
import { requires } from '../route-options.ts';
import { orNull, type Read, takes } from '../validation/takes.ts';
import { startSoon } from './start-soon.ts';

const uris = (to: string, ids: unknown) => (ids === null ? null : (ids as number[]).map((id) => uriOf(to, id)));

/** Jobs are read here and made by `registerUserMerge`; the users merged are gone when one is complete. */
export const usermerge = resource({
  name: 'usermerge',
  about: 'a request to merge users, and what became of it',
  area: 'Users',
  entity: UserMerge,
  fields: {
    primary_user: { to: 'user' },
    users: { kind: 'list', show: ({ users }) => uris('user', users), help: 'URIs of the users merged into the primary one.' },
    address_user: { to: 'user' },
    source_user: { to: 'user' },
    sms_user: { to: 'user' },
    lists: { kind: 'list', show: ({ lists }) => uris('list', lists), help: 'URIs of the lists wanted; null when not given.' },
    errors: { kind: 'list', help: 'Why it failed.' },
  },
  filtering: { id: SINCE, primary_user: EXACT, status: EXACT, created_at: SINCE, updated_at: SINCE },
  ordering: ['created_at', 'updated_at'],
  methods: ['list', 'get'],
  takes: ['primary_user', 'users', 'address_user', 'source_user', 'sms_user', 'lists'],
  permission: 'user',
  job: { run: workflowId.mergeUsers, over: ({ status }) => status !== 'pending' },
});

const MOST_USERS = 100;

/** `POST /rest/v1/usermerge/`: writes the job, which says all there is to do, and starts its run. */
export function registerUserMerge(app: FastifyInstance, context: ApiContext): void {
  const user = oneOf(context, 'user');
  const many = (to: string) => manyOf(context, to);
  const uri = { anyOf: [{ type: 'string', format: 'uri-reference' }, { type: 'integer' }] };
  const schema = {
    tags: ['Users'],
    summary: 'Merge users into one',
    headers: IDEMPOTENCY_KEY,
    consumes: ['application/json', 'application/x-www-form-urlencoded'],
    body: {
      type: 'object',
      required: ['primary_user', 'users', 'address_user', 'source_user'],
      'x-says': { required: NEEDED },
      properties: {
        primary_user: takes('reference', { ...uri, description: 'The user who is kept.' }, needed('primary_user', user)),
        users: takes('references', { type: 'array', items: uri, description: 'The users merged into it.' }, needed('users', many('user'))),
        address_user: takes('reference', { ...uri, description: 'Whose mailing address is kept.' }, needed('address_user', user)),
        source_user: takes('reference', { ...uri, description: 'Whose source is kept.' }, needed('source_user', user)),
        sms_user: takes('reference', { ...uri, description: 'Whose mobile phones are kept.' }, orNull(user)),
        lists: takes(
          'references',
          {
            type: 'array',
            items: uri,
            description: 'The lists the user is on afterwards. Not given: all but the re-engagement list. Empty: none.',
          },
          orNull(many('list')),
        ),
      },
    },
    response: { 201: withLocation('The job; its status says how far it is.'), 400: errorsBody('Input that cannot be used.'), ...COMMON },
  };
  const preValidation = takesForm(context.registry.get('usermerge').fields);
  app.post('/rest/v1/usermerge/', { ...requires('user:merge', { forms: true }), preValidation, schema }, async (request, reply) => {
    const id = await requestMerge(context, request.log, readBody(request.body), repeatable(request));
    return reply
      .code(201)
      .header('location', context.env.BASE_URL + uriOf('usermerge', id))
      .send();
  });
}

/**
 * Writes down that users are to be merged, as a body has it, and has it begun.
 * @param press of a button that may be pressed twice, or of a request that may be sent again
 * @returns the id of the job
 * @throws InputError
 */
export async function requestMerge(
  context: ApiContext,
  log: FastifyBaseLogger,
  body: Record<string, unknown>,
  press?: Repeatable,
): Promise<number> {
  const wish = readWish(context, body);
  const id = await inTransaction(context, (_em, sql) => once(sql, press, () => addMerge(sql, context.registry, wish)));
  const summary = `Merge ${counted(wish.users.length, 'user', 'users')} into user ${wish.primary_user}`;
  await startSoon(context, log, startOf('mergeUsers', { jobId: id }, { userId: wish.primary_user, summary }));
  return id;
}

const NEEDED = '{field} is required.';

/** A null is as if nothing were sent, and here something has to be. */
const needed =
  (field: string, read: Read): Read =>
  (value, siblings) => {
    if (value === null) throw new InputError({ [field]: NEEDED.replace('{field}', field) });
    return read(value, siblings);
  };

const oneOf = (context: ReferenceContext, to: string) => (value: unknown) => readReference(context, to, value);

const manyOf = (context: ReferenceContext, to: string) => (value: unknown) => {
  if (!Array.isArray(value)) throw new Error('must be a list');
  if (value.length > MOST_USERS) throw new Error(`must have at most ${MOST_USERS} members`);
  return [...new Set(value.map(oneOf(context, to)))];
};

/** @param body as its schema has it. @throws InputError for what the users named are to each other */
function readWish(context: ApiContext, body: Record<string, unknown>): MergeWish {
  const [user, many] = [oneOf(context, 'user'), (to: string) => manyOf(context, to)];
  const wish: MergeWish = {
    primary_user: user(body['primary_user']),
    users: many('user')(body['users']),
    address_user: user(body['address_user']),
    source_user: user(body['source_user']),
    sms_user: (body['sms_user'] ?? null) === null ? null : user(body['sms_user']),
    lists: (body['lists'] ?? null) === null ? null : many('list')(body['lists']),
  };
  const { primary_user: primary, users } = wish;
  const errors: Record<string, string> = {};
  if (users.length === 0) errors['users'] = 'users must name at least one user.';
  if (users.includes(primary)) errors['users'] = 'users must not name the primary user.';
  for (const field of ['address_user', 'source_user', 'sms_user'] as const) {
    const id = wish[field];
    if (id !== null && id !== primary && !users.includes(id)) errors[field] = `${field} must be the primary user or one of users.`;
  }
  if (Object.keys(errors).length > 0) throw new InputError(errors);
  return wish;
}
