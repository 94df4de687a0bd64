import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { PeopleActivities } from '../activities/people/activities.ts';
import { answeredAs } from './answered.ts';
import { continueAs } from './continue-as.ts';
import { TASK_QUEUE, type UserJobInput } from './contracts.ts';
import { TellingJob } from './job-progress.ts';

const activities = proxyActivities<PeopleActivities>({
  taskQueue: TASK_QUEUE.campaign,
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Merges users, all or nothing: one transaction, run again while the database is away. */
export async function mergeUsers(input: UserJobInput): Promise<void> {
  const job = new TellingJob('Merging, all in one transaction; tried again while the database is away.');
  await activities.mergeUsers(input);
  job.over('Over; the job says how.');
}

/** Erases a user, all or nothing. */
export async function eraseUser(input: UserJobInput): Promise<void> {
  const job = new TellingJob('Erasing, all in one transaction; tried again while the database is away.');
  await activities.eraseUser(input);
  job.over('Over; the job says how.');
}

/** Takes everybody off a list and deletes it, slice after slice. */
export async function deleteList(input: UserJobInput): Promise<void> {
  const job = new TellingJob('Taking people off the list; the job says how many.');
  while (await answeredAs<boolean>(() => activities.deleteList(input), 'boolean'))
    if (workflowInfo().continueAsNewSuggested) await continueAs(input);
  job.over('Over; the job says how.');
}

/** Sends the confirmation of an action: once, however long the relay is away. */
export async function sendConfirmation(input: UserJobInput): Promise<void> {
  setCurrentDetails('Handing the mail to the relay; tried again while that is away.');
  await activities.sendConfirmation(input);
  setCurrentDetails('Over; the row of the mail says how.');
}

/** Imports an upload, slice after slice. A stop is in its row, where each batch looks. */
export async function importUpload(input: UserJobInput): Promise<void> {
  const job = new TellingJob('Importing; the upload says how many lines.');
  while (await answeredAs<boolean>(() => activities.importLines(input), 'boolean'))
    if (workflowInfo().continueAsNewSuggested) await continueAs(input);
  job.over('Over; the upload says how.');
}
