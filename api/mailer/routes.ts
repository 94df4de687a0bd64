import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../deps.ts';
import { registerAudience } from './audience.ts';
import { registerCopy } from './copy.ts';
import { registerMailingTargeting } from './mailing-targeting.ts';
import { registerMergefileUpload } from './mergefile.ts';
import { registerProgress } from './progress.ts';
import { registerProofs } from './proofs.ts';
import { registerQueue } from './queue.ts';
import { registerRebuild } from './rebuild.ts';
import { registerRecipients } from './recipients.ts';
import { registerResults } from './results.ts';
import { registerSettle } from './settle.ts';
import { registerStatus } from './status.ts';
import { registerStop } from './stop.ts';
import { registerMailerWrites } from './write-routes.ts';

/** The routes of the mailer API beside the collection and the mailing itself, which are the kit's. */
export function registerMailer(app: FastifyInstance, context: ApiContext): void {
  registerMailerWrites(app, context);
  registerMailingTargeting(app, context);
  registerMergefileUpload(app, context);
  registerStatus(app, context);
  registerAudience(app, context);
  registerRebuild(app, context);
  registerProofs(app, context);
  registerQueue(app, context);
  registerProgress(app, context);
  registerStop(app, context);
  registerCopy(app, context);
  registerResults(app, context);
  registerRecipients(app, context);
  registerSettle(app, context);
}
