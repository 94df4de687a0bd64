import { reportDatabaseUrl } from '../entities/report-login.ts';
import { createCompactionActivities } from './compaction.ts';
import { createCrmActivities } from './crm/index.ts';
import type { ActivityDeps } from './deps.ts';
import { failingFinally } from './final-failure.ts';
import { createNoticeActivities } from './notices/index.ts';
import { createPartnerActivities } from './partner/index.ts';
import { createPeopleActivities } from './people/index.ts';
import { createProofActivities } from './proofs/index.ts';
import { createRecurringActivities } from './recurring.ts';
import { createReportActivities } from './reports/index.ts';
import { createRetentionActivities } from './retention.ts';
import { createSendActivities } from './sending/index.ts';
import { createSweepActivities } from './sweep.ts';
import { createTargetActivities } from './targets/index.ts';

/** Every activity of the platform, by name. One worker process makes them once. */
export const createActivities = (deps: ActivityDeps) => failingFinally(all(deps));

const all = (deps: ActivityDeps) => ({
  ...createSendActivities(deps),
  ...createTargetActivities({
    pool: deps.pool,
    reportDatabaseUrl: reportDatabaseUrl(deps.env),
    statementTimeoutMs: deps.env.STATEMENT_TIMEOUT_MS,
    fastRebuild: deps.env.FAST_REBUILD,
  }),
  ...createProofActivities(deps),
  ...createNoticeActivities(deps),
  ...createRecurringActivities(deps),
  ...createReportActivities(deps),
  ...createPeopleActivities(deps),
  ...createRetentionActivities(deps),
  ...createSweepActivities(deps),
  ...createCompactionActivities(deps),
  ...createCrmActivities(deps),
  ...createPartnerActivities(deps),
});
