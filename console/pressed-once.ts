import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Repeatable } from '../core/once.ts';
import { type Sent, textOf } from './fields.ts';
import { type Html, html } from './html.ts';

// The script holds a second press back for some seconds. On a slower connection, and without scripts, it comes: then the page it was pressed on has a key by which it is known.

/** What a form that is to be done once has beside its token. @param key of the page */
export const onceField = (key: string = randomUUID()): Html => html`<input type="hidden" name="once" value="${key}">`;

/** A press of such a form, for `once`. @param what it does */
export const pressed = (request: FastifyRequest, what: string): Repeatable => ({
  idempotencyKey: textOf(request.body as Sent, 'once'),
  accountId: request.account!.id,
  route: what,
  body: null,
});
