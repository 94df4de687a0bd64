/** Files that are begun first, the longest in front. */
export const LONG: readonly string[] = [
  'test/chaos/chaos.test.ts',
  'test/api/no-internal-error.test.ts',
  'test/e2e/platform.test.ts',
  'test/e2e/console.test.ts',
  'test/e2e/full-disk.test.ts',
  'test/api/reports/bombs.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/restore.test.ts',
  'test/e2e/watching.test.ts',
  'test/chaos/merge-killed.test.ts',
  'test/workflows/send-mailing.test.ts',
  'test/workflows/sync-changed.test.ts',
  'test/api/refused-bodies.test.ts',
  'test/api/user-jobs.test.ts',
  'test/e2e/third-party-clients.test.ts',
  'test/workflows/fair-shares.test.ts',
  'test/workflows/rate-over-deaths.test.ts',
  'test/core/sending/rate.test.ts',
  'test/chaos/crm.test.ts',
  'test/e2e/production.test.ts',
  'test/e2e/rolling-restart.test.ts',
  'test/api/scale.test.ts',
];

/** What `npm run test:quick` runs in any case: the pure rules, and of every area the file that goes through most of it. */
export const QUICK: readonly string[] = [
  'test/{config,domain,entities,template,replay}/**/*.test.ts',
  'test/core/{statements,transitions}.test.ts',
  'test/core/people/*.test.ts',
  'test/api/{permissions,resource-kit,transport,users,values,actions,pages}.test.ts',
  'test/api/validation/*.test.ts',
  'test/api/mailer/{mailing,queue,document}.test.ts',
  'test/api/donations/donation-push.test.ts',
  'test/api/whipcounts/resources.test.ts',
  'test/api/reports/run.test.ts',
  'test/activities/{slice,targets/rebuild-set}.test.ts',
];
