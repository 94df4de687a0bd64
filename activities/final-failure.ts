import { ApplicationFailure } from '@temporalio/common';
import { finalReason } from '../core/final-reason.ts';

/** The same activities, their final errors told as such to the workflow. */
export function failingFinally<Activities extends object>(activities: Activities): Activities {
  const wrapped = Object.entries(activities).map(([name, run]: [string, (...args: unknown[]) => Promise<unknown>]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await run(...args);
      } catch (error) {
        const reason = error instanceof ApplicationFailure ? null : finalReason(error);
        throw reason === null ? error : ApplicationFailure.nonRetryable(reason, (error as Error).constructor.name);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Activities;
}
