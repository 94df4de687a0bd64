import { sleep } from '@temporalio/workflow';

/** A workflow of the tests of the embedded servers. */
export async function nap(duration: string): Promise<string> {
  await sleep(duration as '1 day');
  return 'awake';
}
