import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';

/**
 * The cancellation of the run that an error came of, to end the run with; null where it was not cancelled. A try that fails while it is being cancelled (no place, no database) is not
 * tried again, and says only why it failed.
 */
export function cancellationOf(error: unknown): Error | null {
  if (isCancellation(error)) return error as Error;
  return CancellationScope.current().consideredCancelled ? new CancelledFailure('cancelled while a try failed') : null;
}
