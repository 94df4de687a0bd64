import { DefaultFailureConverter } from '@temporalio/common';

/** Puts the words of failures where a payload codec encrypts them. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
