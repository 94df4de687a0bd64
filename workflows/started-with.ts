import { ApplicationFailure, type RawValue } from '@temporalio/common';
import { defineWorkflowOptions } from '@temporalio/workflow';
import { UNREAD, whatCame } from './unread.ts';

/**
 * A workflow whose run fails at once where its input lacks what it is about. Whoever starts one by hand, in the Temporal UI or CLI, may give it anything, or nothing: in its first
 * step, or in its activity, that would fail again and again, on each worker and for good.
 * @param ids what is a number in each of its inputs; without any nothing needs to be given, and what is no object counts as that
 */
export function startedWith<Input extends object, Answer>(
  ids: readonly (keyof Input & string)[],
  run: (input: Input) => Promise<Answer>,
): (input: Input) => Promise<Answer> {
  const workflow = async (sent?: RawValue) => {
    const value = whatCame(sent);
    const input = (typeof value === 'object' && value !== null ? value : {}) as Input;
    for (const id of ids)
      if (!/^\d+$/.test(String(input[id]))) throw ApplicationFailure.nonRetryable(`its input has no number as ${id}`, 'InputError');
    return run(input);
  };
  defineWorkflowOptions(workflow, { staticOptions: UNREAD });
  // As whoever starts it sees it: what is sent is what it is run with.
  return workflow as unknown as (input: Input) => Promise<Answer>;
}
