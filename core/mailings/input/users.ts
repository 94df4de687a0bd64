import { setImmediate as othersTurn } from 'node:timers/promises';
import { PermissionError } from '../../../domain/errors.ts';
import { addressKey } from '../../../mail/address.ts';
import { type ReferenceContext, readReference } from '../../references.ts';
import { type InputContext, readList, several } from './context.ts';

/** So many addresses are told apart before others have their turn on the event loop: each may have a domain of its own beyond ASCII. */
const BLOCK = 1000;

/**
 * Users given by URI, id or email, mixed in one list. Who may not read users may keep those who stand there and name nobody else: whether somebody is a
 * member is not for them to learn, and reviewers are shown members.
 * @param stored ids that stand there already: of who is gone since they stay, as they were shown
 * @returns their ids, each once, in the order given
 * @throws Error saying who is unknown; PermissionError, whether known or not
 */
export async function resolveUsers(value: unknown, context: InputContext, stored: readonly number[] = []): Promise<number[]> {
  const named = readNamedUsers(value, context);
  if (!context.can('user:read')) {
    const there = new Set<number | string>(stored);
    if (named.some((member) => !there.has(member))) throw new PermissionError('user:read');
    return [...new Set(named as number[])];
  }
  const given: (number | string)[] = [];
  for (const [n, member] of named.entries()) {
    if (n % BLOCK === BLOCK - 1) await othersTurn();
    given.push(typeof member === 'string' ? addressKey(member) : member);
  }
  const rows = await context.sql<{ id: number; email: string }>(
    'select id, lower(email) as email from core_user where id = any($1::int[]) or lower(email) = any($2::text[])',
    [given.filter((member) => typeof member === 'number'), given.filter((member) => typeof member === 'string' && !member.includes('\0'))],
  );
  const ids = new Map<string | number, number>(rows.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
  for (const id of stored) ids.set(id, id);
  const unknown = given.filter((member) => !ids.has(member));
  if (unknown.length) throw new Error(`refers to nothing: there is no user ${several(unknown)}`);
  return [...new Set(given.map((member) => ids.get(member)!))];
}

/** As given, before anybody is looked up: ids, and emails as they are written. @throws Error */
export function readNamedUsers(value: unknown, context: ReferenceContext): (number | string)[] {
  return readList(value).map((member) => {
    if (typeof member === 'string' && member.includes('@')) return member;
    return readReference(context, 'user', member);
  });
}
