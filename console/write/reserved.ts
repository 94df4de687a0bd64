import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { reserveMailing } from '../../core/mailings/write-mailing.ts';
import { sqlOn } from '../../db/sql.ts';
import { type Sent, textOf } from '../fields.ts';

// The page of a new mailing has the number its draft will get: whatever is sent from it, twice or by itself, makes one draft. The number is signed for
// the account, so that nobody chooses one.

const sealed = ({ env }: ApiContext, request: FastifyRequest, id: number): string =>
  `${id}.${createHmac('sha256', env.SECRET_KEY).update(`new-mailing:${request.account!.id}:${id}`).digest('base64url')}`;

export const reserve = async (context: ApiContext, request: FastifyRequest): Promise<string> =>
  sealed(context, request, await reserveMailing(sqlOn(context.pool)));

/** The number a form was sent with; null where it has none of this account: its draft gets the next one. */
export function reservedIn(context: ApiContext, request: FastifyRequest): number | null {
  const sent = textOf(request.body as Sent, 'reserved');
  const id = Number(/^([1-9]\d{0,9})\./.exec(sent)?.[1] ?? 0);
  const [given, ours] = [sent, sealed(context, request, id)].map((text) => Buffer.from(text));
  return id > 0 && given!.length === ours!.length && timingSafeEqual(given!, ours!) ? id : null;
}
