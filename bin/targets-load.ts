import { readFile } from 'node:fs/promises';
import { parse, YAMLParseError } from 'yaml';
import { readEnv } from '../config/env.ts';
import { lineNotInUtf8 } from '../core/not-utf8.ts';
import { loadTargets } from '../core/whipcounts/load-targets.ts';
import { createPool } from '../db/pool.ts';
import { FileError } from '../domain/errors.ts';
import type { Legislator } from '../domain/whipcounts/legislators.ts';
import { withDatabase } from '../embedded/own-database.ts';
import { command, UsageError } from './command.ts';

// Brings the members of the US Congress up to date. Safe to run again.
await command('npm run targets:load -- FILE   (legislators-current.yaml of the unitedstates project)', {}, async ([file]) => {
  if (!file) throw new UsageError();
  const entries = readLegislators(file, await readFile(file));
  await withDatabase(readEnv(), async (connectionString) => {
    const pool = createPool(connectionString, 1);
    try {
      const { skipped, ...counts } = await loadTargets(pool, entries);
      for (const reason of skipped) console.warn(`skipped: ${reason}`);
      console.log(
        Object.entries(counts)
          .map(([what, count]) => `${count} ${what}`)
          .join(', '),
      );
    } finally {
      await pool.end();
    }
  });
});

function readLegislators(file: string, content: Buffer): Legislator[] {
  const line = lineNotInUtf8(content);
  if (line !== null) throw new FileError(`${file} is not in UTF-8, first in line ${line}: names with accents would be spoilt.`);
  try {
    const entries: unknown = parse(content.toString());
    if (Array.isArray(entries)) return entries;
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
  }
  throw new UsageError(`${file} is not a list of legislators`);
}
