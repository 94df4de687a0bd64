/** Files that are begun first, the longest in front. */
export const LONG: readonly string[] = [];

/** Files that measure time or memory, or strike processes at moments: nothing runs beside them. */
export const ALONE: readonly string[] = ['test/chaos/chaos.test.ts', 'test/api/reports/bombs.test.ts'];
