import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { goneSoFar } from '../../core/people/who-went.ts';
import { BUILD_SAYS_WHY, RebuildError } from '../../core/targeting/rebuild-error.ts';
import { askedBy, countTry, failRebuild, openRebuildJob, type RebuildKey } from '../../core/targeting/rebuild-job.ts';
import { type RebuildDeps, rebuildSet } from '../../core/targeting/rebuild-set.ts';
import { sqlOn } from '../../db/sql.ts';
import { REBUILDABLE } from '../../domain/mailing-status.ts';
import type { RebuildTargetsInput } from '../../workflows/contracts.ts';
import { heartbeating } from '../heartbeating.ts';
import type { Places } from '../places.ts';

const STOPPED = 'The sending was stopped.';

/** Activities that build saved target sets; long SQL, for the `sql` task queue. */
export function createTargetActivities(deps: RebuildDeps & { places: Places }) {
  const failed = ({ mailingId, jobId, nth }: RebuildKey, { messages }: RebuildError, gone: string | null) =>
    failRebuild(deps.pool, { mailingId, jobId, errors: messages, gone, nth });
  const building = async (
    job: Partial<RebuildTargetsInput>,
    build: (signal: AbortSignal, gone: string | null) => Promise<{ count: number }>,
  ) =>
    deps.places
      .hold('build', await askedBy(deps.pool, job), async () => {
        const gone = await goneSoFar(sqlOn(deps.pool));
        return heartbeating(({ signal }) => build(signal, gone));
      })
      .catch((error) => {
        // In full into the row of the build alone: what is thrown is kept in the history.
        if (error instanceof RebuildError) throw ApplicationFailure.nonRetryable(BUILD_SAYS_WHY, 'RebuildError');
        throw error;
      });

  return {
    /** The build somebody asked for. @throws ApplicationFailure `RebuildError`, final; its row says why */
    buildTargets: ({ mailingId, jobId }: RebuildTargetsInput): Promise<{ count: number }> =>
      building({ mailingId, jobId }, async (signal, gone) => {
        const build: RebuildKey = { mailingId, jobId, nth: await countTry(deps.pool, jobId), during: REBUILDABLE };
        return rebuildSet(deps, { ...build, signal }).catch(async (error) => {
          if (error instanceof RebuildError) await failed(build, error, gone);
          throw error;
        });
      }),

    /** The build right before sending, while the mailing is `rebuilding_at_send`. Fails like `buildTargets`. */
    buildTargetsAtSend: ({ mailingId }: { mailingId: number }): Promise<{ count: number }> =>
      building({ mailingId }, async (signal, gone) => {
        const jobId = await openRebuildJob(deps.pool, mailingId);
        const build: RebuildKey = { mailingId, jobId, nth: await countTry(deps.pool, jobId), during: ['rebuilding_at_send'] };
        return rebuildSet(deps, { ...build, signal }).catch(async (error) => {
          if (error instanceof RebuildError) await failed(build, error, gone);
          // Not of a worker that ends: another goes on with the job.
          else if (Context.current().cancellationDetails?.cancelRequested)
            await failRebuild(deps.pool, { mailingId, jobId, errors: [STOPPED], nth: build.nth });
          throw error;
        });
      }),

    /** Ends a build that failed or was called off, with what its poll document shall say. */
    failRebuild: (job: RebuildTargetsInput & { errors: string[] }): Promise<void> => failRebuild(deps.pool, job),
  };
}
