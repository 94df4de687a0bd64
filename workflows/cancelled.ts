import { CancellationScope, CancelledFailure, isCancellation, setCurrentDetails } from '@temporalio/workflow';

/**
 * The cancellation of the run that an error came of, to end the run with; null where it was not cancelled. A try that fails while it is being cancelled (no place, no database) is not
 * tried again, and says only why it failed.
 */
export function cancellationOf(error: unknown): Error | null {
  if (isCancellation(error)) return error as Error;
  return CancellationScope.current().consideredCancelled ? new CancelledFailure('cancelled while a try failed') : null;
}

/** Has a run that is cancelled say so: it would go on saying what it was at, or when its next try is. What becomes of its work stands in its details. */
export const sayingCancelled =
  <Input, Answer>(run: (input: Input) => Promise<Answer>) =>
  async (input: Input): Promise<Answer> => {
    try {
      return await run(input);
    } catch (error) {
      if (cancellationOf(error)) setCurrentDetails('Cancelled; its details say what becomes of its work.');
      throw error;
    }
  };
