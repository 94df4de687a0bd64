import { sleep } from '@temporalio/workflow';

/** What a careless change would be: a timer the saved runs never had. */
export async function sendMailing(): Promise<string> {
  await sleep('1 minute');
  return 'completed';
}
