import { sendConfirmation } from '../../core/people/confirm.ts';
import { runErasure } from '../../core/people/erasure-job.ts';
import { importUpload } from '../../core/people/import-upload.ts';
import { runListDeletion } from '../../core/people/list-deletion.ts';
import { runMerge } from '../../core/people/merge-job.ts';
import type { UserJobInput } from '../../workflows/contracts.ts';
import type { ActivityDeps } from '../deps.ts';
import { heartbeating } from '../heartbeating.ts';

export type PeopleActivities = ReturnType<typeof createPeopleActivities>;

/** Length of one activity of what goes batch by batch. */
const SLICE_MS = 20_000;

/** Jobs about people. Each activity may be run again after a crash at any moment: what it does is done in one transaction, or batch by batch with what is left of it. */
export function createPeopleActivities(deps: Pick<ActivityDeps, 'pool' | 'env' | 'log' | 'relay' | 'shuttingDown'>) {
  const forAWhile = (work: (goesOn: () => boolean) => Promise<boolean>): Promise<boolean> => {
    const until = performance.now() + SLICE_MS;
    return heartbeating(() => work(() => performance.now() < until && !deps.shuttingDown.aborted));
  };
  return {
    /** Imports lines of an upload, block after block, for a while. @returns whether there is more to do */
    importLines: ({ jobId }: UserJobInput): Promise<boolean> => forAWhile((goesOn) => importUpload(deps, jobId, goesOn)),

    /** Sends a confirmation once. Fails, to be run again, while the relay takes no mail. */
    sendConfirmation: ({ jobId }: UserJobInput): Promise<void> => heartbeating(() => sendConfirmation(deps, jobId)),

    /** Merges the users of a job and records how it ended. */
    mergeUsers: ({ jobId }: UserJobInput): Promise<void> => heartbeating(() => runMerge(deps, jobId)),

    /** Takes people off a list that is to go, batch after batch, for a while. @returns whether there is more to do */
    deleteList: ({ jobId }: UserJobInput): Promise<boolean> => forAWhile((goesOn) => runListDeletion(deps, jobId, goesOn)),

    /** Erases the user of a job and records how it ended. */
    eraseUser: ({ jobId }: UserJobInput): Promise<void> => heartbeating(() => runErasure(deps, jobId)),
  };
}
