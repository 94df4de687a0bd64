import { withoutAddresses } from '../domain/without-addresses.ts';

/**
 * What the SDK says beside a line of its log, as this log writes it: without the token of a task, which is of no use to anybody who reads it and longer than the rest of the
 * line, and with the words of an error. One that comes out of a workflow is none of this process's errors, and would be written as `{}`.
 */
export function sdkFields({ taskToken: _, ...fields }: Record<string, unknown>): Record<string, unknown> {
  const message = (fields['error'] as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? { ...fields, error: withoutAddresses(message) } : fields;
}

const RETRIED = /^gRPC call (\w+) retried \d+ times/;
const AGAIN_AFTER_MS = 60_000;

/**
 * Whether a line of the SDK tells anything that one just before has not. While Temporal is away each of the two dozen polls of a worker says of each of its retries that it was one, some 7,000 in an hour:
 * of each kind of call one a minute is enough.
 * @param now milliseconds of a clock that is not set
 */
export function newsOfTheSdk(now: () => number = () => performance.now()): (message: string) => boolean {
  const saidAt = new Map<string, number>();
  return (message) => {
    const [, call] = RETRIED.exec(message) ?? [];
    if (call === undefined) return true;
    if (now() - (saidAt.get(call) ?? Number.NEGATIVE_INFINITY) < AGAIN_AFTER_MS) return false;
    saidAt.set(call, now());
    return true;
  };
}
