import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/**
 * Gives an activity's place back: it is tried again, here or by another worker. No failure, so that it is neither counted nor logged as one; and a retry costs no workflow event.
 * @param type what kind of waiting it is, for whoever looks at the run
 * @param inMs until the next try; without it as the run says
 */
export const notYet = (type: string, message: string, inMs?: number): ApplicationFailure =>
  ApplicationFailure.create({ message, type, nextRetryDelay: inMs, category: ApplicationFailureCategory.BENIGN });
