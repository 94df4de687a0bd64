import type { FastifyRequest } from 'fastify';
import type { Repeatable } from '../core/once.ts';
import type { SentFile } from './plugins/forms.ts';

/** What the document says of the header; by it generated clients know which requests they may send again. */
export const IDEMPOTENCY_KEY = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      description: 'The same request sent again with the same key is answered with what the first one made.',
    },
  },
};

/**
 * What tells a request that is sent again from another one; undefined where its caller has given it no key.
 * @param body what has to be the same, where the request's body is not all of it
 */
export function repeatable(request: FastifyRequest, body: unknown = request.body): Repeatable | undefined {
  const idempotencyKey = String(request.headers['idempotency-key'] ?? '');
  if (!idempotencyKey) return undefined;
  return { idempotencyKey, accountId: request.account?.id, route: request.url.replace(/\?.*/s, ''), body };
}

/** The same of a form with a file: another one of the same name is another request. */
export async function repeatableForm(request: FastifyRequest, fields: object, file: SentFile): Promise<Repeatable | undefined> {
  if (!repeatable(request)) return undefined;
  return repeatable(request, { fields, filename: file.filename, file: await file.digest() });
}
