import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { readEnv } from '../config/env.ts';
import { loadTargets } from '../core/whipcounts/load-targets.ts';
import { createPool } from '../db/pool.ts';
import { withDatabase } from '../embedded/own-database.ts';

// npm run targets:load -- <legislators-current.yaml>: brings the members of the US Congress up to date. Safe to run again.
const [file] = process.argv.slice(2);
if (!file) throw new Error('Usage: npm run targets:load -- <legislators-current.yaml>');
const entries: unknown = parse(await readFile(file, 'utf8'));
if (!Array.isArray(entries)) throw new Error(`${file} is not a list of legislators`);

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
