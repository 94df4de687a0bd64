import { RawValue } from '@temporalio/common';
import { continueAsNew } from '@temporalio/workflow';

/** Goes on as a new run of the same workflow, which takes its input unread (started-with.ts): so it is handed over as what will arrive. */
export const continueAs = <Input extends object>(input: Input): Promise<never> =>
  continueAsNew<(input: RawValue) => Promise<unknown>>(new RawValue(input));
