import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** Why an activity can never work, where it failed for good; null for every other error, and where somebody else has moved the mailing on. */
export function finalReason(error: unknown): string | null {
  const cause = error instanceof ActivityFailure ? error.cause : null;
  return cause instanceof ApplicationFailure && cause.nonRetryable && cause.type !== 'NotWaiting' ? cause.message : null;
}
