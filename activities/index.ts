import { reportDatabaseUrl } from '../db/report-login.ts';
import { createCrmActivities } from './crm/activities.ts';
import type { ActivityDeps } from './deps.ts';
import { failingFinally } from './final-failure.ts';
import { MailPlaces } from './mail-places.ts';
import { withoutNames } from './naming-nobody.ts';
import { createNoticeActivities } from './notices/activities.ts';
import { createPartnerActivities } from './partner/activities.ts';
import { createPeopleActivities } from './people/activities.ts';
import { Places } from './places.ts';
import { createProofActivities } from './proofs/activities.ts';
import { createRecurringActivities } from './recurring.ts';
import { createReportActivities } from './reports/activities.ts';
import { createRetentionActivities } from './retention.ts';
import { createSendActivities } from './sending/activities.ts';
import { createSweepActivities } from './sweep.ts';
import { createTargetActivities } from './targets/activities.ts';
import { createWebhookActivities } from './webhooks/activities.ts';

/** Every activity of the platform, by name. One worker process makes them once. */
export const createActivities = (deps: ActivityDeps) => withoutNames(failingFinally(inPlaces(deps)));

const inPlaces = (deps: ActivityDeps) =>
  new MailPlaces(deps.env.CAMPAIGN_SLOTS).holding(all(deps), ['sendConfirmation', 'sendNotice', 'mailReport']);

const all = (deps: ActivityDeps, places = new Places()) => ({
  ...createSendActivities(deps),
  ...createTargetActivities({
    pool: deps.pool,
    reportDatabaseUrl: reportDatabaseUrl(deps.env),
    statementTimeoutMs: deps.env.STATEMENT_TIMEOUT_MS,
    reportMemoryMb: deps.env.REPORT_MEMORY_MB,
    fastRebuild: deps.env.FAST_REBUILD,
    places,
  }),
  ...createProofActivities(deps),
  ...createNoticeActivities(deps),
  ...createRecurringActivities(deps),
  ...createReportActivities({ ...deps, places }),
  ...createPeopleActivities(deps),
  ...createRetentionActivities(deps),
  ...createSweepActivities(deps),
  ...createCrmActivities(deps),
  ...createPartnerActivities(deps),
  ...createWebhookActivities(deps),
});
