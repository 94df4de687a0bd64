import { InputError } from '../../domain/errors.ts';
import { readBody } from '../../domain/values.ts';
import { COMMON, empty, errorsBody } from '../resource/answers.ts';
import { DESCRIBES_ONLY, ID_PARAMETER } from '../resource/routes.ts';
import { requires } from '../route-options.ts';

/**
 * Options of a route below one mailing.
 * @param permission grant it needs
 * @param answers by status, beside the common ones
 */
export function mailingRoute(permission: string, summary: string, answers: Record<number, object>, more: object = {}) {
  return {
    ...DESCRIBES_ONLY,
    ...requires(permission),
    schema: { tags: ['Mailer'], summary, params: ID_PARAMETER, response: { 404: empty('Absent.'), ...COMMON, ...answers }, ...more },
  };
}

export const REFUSED = errorsBody('It cannot be done now, or the input cannot be used.');

/**
 * The keys of a body that may hold these alone.
 * @throws InputError naming what else there is: somebody expects it to have an effect
 */
export function readKeys<Key extends string>(body: unknown, keys: readonly Key[]): Partial<Record<Key, unknown>> {
  const given = readBody(body);
  const others = Object.keys(given).filter((key) => !keys.includes(key as Key));
  if (others.length) throw new InputError(Object.fromEntries(others.map((key) => [key.slice(0, 200), 'This is not taken here.'])));
  return given as Partial<Record<Key, unknown>>;
}
