import type { FastifyInstance } from 'fastify';
import type { DatabaseProbe } from '../../db/probe.ts';
import { isCommitUncertain } from '../../db/uncertain-commit.ts';
import { UnavailableError } from '../../domain/errors.ts';

const PATIENCE_MS = 1_000;
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * While the database confirms no change, none is begun: the answer is that nothing was changed, at once, where it would be that something may have been, after
 * COMMIT_SECONDS. Once one was not confirmed, the database is asked before the next.
 */
export function refuseUnconfirmed(app: FastifyInstance, database: DatabaseProbe): void {
  app.addHook('onError', async (_request, _reply, error) => {
    if (isCommitUncertain(error)) database.doubt();
  });
  app.addHook('preHandler', async (request) => {
    if (!database.doubted || !CHANGING.has(request.method)) return;
    if ((await database.state(PATIENCE_MS)) === 'does not confirm changes')
      throw new UnavailableError('The database does not confirm changes, its standby may be away; nothing was changed.');
  });
}
