import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const ROOT = join(HERE, '../..');
/** A file of the package that depends on the programs. */
const PACKAGE = join(HERE, 'package.json');

/** Tests that go through much of what is said to the database: the tables, each statement that is written as text, and of those made at run time the largest. */
export const TESTS = [
  'test/core/statements.test.ts',
  'test/core/sending/{pages,what-others-wrote}.test.ts',
  'test/core/tracking/*.test.ts',
  'test/activities/people/erased-meanwhile.test.ts',
  'test/api/clients/report-tables.test.ts',
  'test/api/donations/donation-push.test.ts',
  'test/api/mailer/results.test.ts',
];

/** @returns null, or why the programs could not be fetched */
export function fetchPrograms(): string | null {
  const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: HERE, encoding: 'utf8' });
  return status === 0 ? null : stderr.trim();
}

/** Runs tests on the oldest server, their output on standard output. @returns whether they passed */
export function runOnOldest(tests: string[]): boolean {
  const { status } = spawnSync(process.execPath, ['test/support/run/run.ts', ...tests], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, TEST_POSTGRES: PACKAGE },
  });
  return status === 0;
}
