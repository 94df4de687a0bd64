import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type About, type InputOf, type RunName, startOf, startOptions } from '../workflows/contracts.ts';

/** Starts a run of a workflow by its contract. @returns false when it was under way already */
export async function startRun<Name extends RunName>(temporal: Client, name: Name, input: InputOf<Name>, about?: About): Promise<boolean> {
  try {
    await temporal.workflow.start(name, startOptions(startOf(name, input, about)));
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
