import { TemporalFailure } from '@temporalio/common';
import { withoutAddresses } from '../domain/without-addresses.ts';
import type { ActivityDeps } from './deps.ts';

// What leaves an activity stands in the histories of the workflow service and in logs, and people's addresses do not belong there. Relays, CRMs and the database quote
// them in their answers: rows keep these in full, everything else has them without.

/** A value with the addresses taken out of all its texts. Errors stay what they are and are changed. */
function namingNobody<Value>(value: Value): Value {
  return stripped(value, new WeakSet()) as Value;
}

function stripped(value: unknown, seen: WeakSet<object>): unknown {
  if (typeof value === 'string') return withoutAddresses(value);
  if (typeof value !== 'object' || value === null || seen.has(value)) return value;
  seen.add(value);
  if (value instanceof Error) return strippedError(value, seen);
  if (Array.isArray(value)) return value.map((each) => stripped(each, seen));
  const plain = Object.getPrototypeOf(value);
  if (plain !== Object.prototype && plain !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, stripped(each, seen)]));
}

/** Also what the database says beside its message (`detail` quotes the values of a row), causes, and details of failures. */
function strippedError(error: Error, seen: WeakSet<object>): Error {
  const { message, stack } = error;
  for (const name of new Set([...Object.keys(error), 'message', 'cause', 'errors'])) {
    const before = (error as unknown as Record<string, unknown>)[name];
    const after = stripped(before, seen);
    if (after !== before)
      Object.defineProperty(error, name, { value: after, configurable: true, writable: true, enumerable: name !== 'message' });
  }
  // Its frames name packages, which have an @, and no people.
  if (stack && message)
    Object.defineProperty(error, 'stack', { value: stack.replace(message, () => error.message), configurable: true, writable: true });
  // As it came over the wire it would go on as it was.
  if (error instanceof TemporalFailure && error.failure && error.message !== message) delete (error as { failure?: unknown }).failure;
  return error;
}

/** The same activities, with nobody's address in their results and failures. */
export function withoutNames<Activities extends object>(activities: Activities): Activities {
  const wrapped = Object.entries(activities).map(([name, run]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return namingNobody(await run(...args));
      } catch (error) {
        throw namingNobody(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Activities;
}

/** The same log, with nobody's address in its lines. */
export const logNamingNobody = (log: ActivityDeps['log']): ActivityDeps['log'] => ({
  info: (fields, message) => log.info(namingNobody(fields), withoutAddresses(message)),
  warn: (fields, message) => log.warn(namingNobody(fields), withoutAddresses(message)),
  error: (fields, message) => log.error(namingNobody(fields), withoutAddresses(message)),
});
