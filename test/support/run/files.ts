/** Files that are begun first, the longest in front. */
export const LONG: readonly string[] = [
  'test/api/no-internal-error.test.ts',
  'test/e2e/platform.test.ts',
  'test/e2e/console.test.ts',
  'test/e2e/watching.test.ts',
  'test/e2e/demo.test.ts',
  'test/api/refused-bodies.test.ts',
  'test/api/user-jobs.test.ts',
  'test/e2e/full-disk.test.ts',
  'test/e2e/third-party-clients.test.ts',
  'test/workflows/fair-shares.test.ts',
  'test/chaos/crm.test.ts',
  'test/chaos/merge-killed.test.ts',
  'test/e2e/production.test.ts',
  'test/e2e/rolling-restart.test.ts',
];

/** Files that measure time or memory, or strike processes at moments: nothing runs beside them. */
export const ALONE: readonly string[] = [
  'test/chaos/chaos.test.ts',
  'test/api/reports/bombs.test.ts',
  'test/core/sending/rate.test.ts',
  'test/workflows/rate-over-deaths.test.ts',
];
