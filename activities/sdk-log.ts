import { withoutAddresses } from '../domain/without-addresses.ts';

type Fields = Record<string, unknown>;

/**
 * What the SDK says beside a line of its log, as this log writes it: without the token of a task, which is of no use to anybody who reads it and longer than the rest of the
 * line, and with the words of an error. One that comes out of a workflow is none of this process's errors, and would be written as `{}`.
 */
export function sdkFields({ taskToken: _, ...fields }: Fields): Fields {
  const message = (fields['error'] as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? { ...fields, error: withoutAddresses(message) } : fields;
}

const RETRIED = /^gRPC call (\w+) retried \d+ times/;
const AGAIN_AFTER_MS = 60_000;
/** Beyond, those that were said longest ago are news again. */
const MOST_KINDS = 500;

/**
 * Which lines of the SDK tell anything that one just before has not: of a kind one a minute, with how many there were since the last one (`alike`). While Temporal is away each of the two dozen polls
 * of a worker says of each of its retries that it was one, some 7,000 in an hour; while the database is, each try of each activity that it has failed, as many.
 * @param now milliseconds of a clock that is not set
 * @returns takes a line's message and what the SDK says beside it; what is to be written beside it, or null where it is no news
 */
export function newsOfTheSdk(now: () => number = () => performance.now()): (message: string, meta?: Fields) => Fields | null {
  const said = new Map<string, { at: number; alike: number }>();
  return (message, meta = {}) => {
    const fields = sdkFields(meta);
    const kind = kindOf(message, fields);
    if (kind === null) return fields;
    const last = said.get(kind);
    if (last && now() - last.at < AGAIN_AFTER_MS) {
      last.alike++;
      return null;
    }
    said.delete(kind);
    said.set(kind, { at: now(), alike: 0 });
    if (said.size > MOST_KINDS) said.delete(said.keys().next().value as string);
    return last?.alike ? { ...fields, alike: last.alike } : fields;
  };
}

/** What a line has in common with others like it; null where each is news. */
function kindOf(message: string, { activityType, error }: Fields): string | null {
  const [, call] = RETRIED.exec(message) ?? [];
  if (call !== undefined) return call;
  return typeof activityType === 'string' && typeof error === 'string'
    ? `${message} ${activityType} ${error.replace(/\d+/g, '#').slice(0, 500)}`
    : null;
}
