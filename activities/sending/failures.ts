import { ApplicationFailure } from '@temporalio/common';
import { NotWaitingError } from '../../core/sending/begin-sending.ts';
import { NoRunError } from '../../core/sending/compiled-runs.ts';
import { StillHeldError } from '../../core/sending/finish-send.ts';
import { LostCommitsError } from '../../core/sending/lost-commits.ts';
import { notYet } from '../not-yet.ts';

/** What core's errors of sending are to Temporal; any other is thrown on as it is. */
export function failing(error: unknown): never {
  if (error instanceof NotWaitingError) throw ApplicationFailure.nonRetryable(error.message, 'NotWaiting');
  if (error instanceof NoRunError) throw ApplicationFailure.nonRetryable(error.message, 'NoRun');
  if (error instanceof LostCommitsError) throw ApplicationFailure.nonRetryable(error.message, 'LostCommits');
  // A slice is given up before the lease of its worker ends.
  if (error instanceof StillHeldError) throw notYet('StillHeld', error.message, error.waitMs + 50);
  throw error;
}
