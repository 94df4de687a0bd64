import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf, git } from './git.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOCK = 'package-lock.json';
/** From a mailing that is asked for by HTTP, and from its workflow, to the mail that arrives, and over a worker's end. */
const MAIN_JOB = [
  'test/api/mailer/queue.test.ts',
  'test/workflows/send-on-real-server.test.ts',
  'test/e2e/newsletter.test.ts',
  'test/e2e/rolling-restart.test.ts',
];

export interface PreviousRelease {
  /** What git knows it by. */
  reference: string;
  /** An empty one, for its files. */
  folder: string;
  /** Of which its database is made, in place of its own. */
  migrations?: string;
  /** Of its files. */
  tests?: string[];
  say: (what: string) => void;
}

/**
 * Runs an earlier release's tests of the main job on tables as this one's migrations make them: so do its processes run between the migration of an upgrade and their end.
 * @returns what they printed, and whether they passed
 * @throws FileError where git does not know the reference, Error where the release has no such tests
 */
export function runPreviousRelease({ reference, folder, migrations = join(ROOT, 'migrations'), tests = MAIN_JOB, say }: PreviousRelease): {
  passed: boolean;
  said: string;
} {
  takeOut(reference, folder, say);
  rmSync(join(folder, 'migrations'), { recursive: true });
  cpSync(migrations, join(folder, 'migrations'), { recursive: true });
  const there = tests.filter((test) => existsSync(join(folder, test)));
  if (!there.length) throw new Error(`${reference} has none of these tests: ${tests.join(', ')}`);
  say(`running ${there.join(', ')}, as they were then, on the tables of today`);
  const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin/mocha'), there, { cwd: folder, encoding: 'utf8' });
  return { passed: status === 0, said: stdout + stderr };
}

/** Puts the files of a release, with what it depends on, into a folder. @throws FileError where git does not know it */
export function takeOut(reference: string, folder: string, say: (what: string) => void): void {
  const commit = commitOf(reference);
  say(`taking ${reference} (${commit.slice(0, 10)}) out of git`);
  const archive = join(folder, 'release.tar');
  git('archive', '--output', archive, commit);
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  giveModules(folder, say);
}

function giveModules(folder: string, say: (what: string) => void): void {
  const lock = (root: string) => readFileSync(join(root, LOCK), 'utf8');
  if (lock(folder) === lock(ROOT)) {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  say('its dependencies are others: installing them');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
