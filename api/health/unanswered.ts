import { isGrpcServiceError } from '@temporalio/client';
import { type Finding, look, wrong } from '../../domain/finding.ts';

/** Codes of gRPC. */
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;
/** For a login that may not do that, or is none. */
const DENIED: unknown[] = [7, 16];

/** What Temporal says at the bottom of an error of its client, and gRPC's number for it. */
function told(error: Error): { code?: number; words: string } {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (isGrpcServiceError(cause)) return { code: cause.code, words: cause.details || cause.message };
  return { words: error.message };
}

export const wordsOf = (error: Error): string => told(error).words;
export const isDenied = (error: Error): boolean => DENIED.includes(told(error).code);

export const START_IT = 'start it, or look at TEMPORAL_ADDRESS';

/** Of a Temporal that has gone away while it was looked at; null where it is there. */
export function whyAway(error: Error): string | null {
  const { code, words } = told(error);
  if (code === DEADLINE_EXCEEDED) return ' in time';
  return code === UNAVAILABLE ? `: ${words}` : null;
}

/** Of a part that Temporal does not tell us of: on a cluster of somebody else's a login may not be let ask for all, nor as often as it likes. */
export function unanswered(part: string, error: Error): Finding {
  const { code, words } = told(error);
  if (DENIED.includes(code))
    return look(part, `not known: Temporal does not let us ask (${words})`, 'look in the Temporal UI, or have our login be let ask');
  if (code === RESOURCE_EXHAUSTED)
    return look(
      part,
      `not known: Temporal limits what it is asked (${words})`,
      'look again; where that stays so, have the limit of the namespace raised',
    );
  if (code === DEADLINE_EXCEEDED)
    return look(part, 'not known: Temporal did not answer in time', 'look again; where that stays so, look at Temporal');
  if (code === UNAVAILABLE) return wrong(part, `not known: ${words}`, START_IT);
  return wrong(part, `not known: ${words}`, 'look at TEMPORAL_NAMESPACE, and run npm run migrate');
}
