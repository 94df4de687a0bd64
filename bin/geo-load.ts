import { access, constants } from 'node:fs/promises';
import { readEnv } from '../config/env.ts';
import { loadGeoFile } from '../core/geo/load.ts';
import { relocateUsers } from '../core/geo/relocate-users.ts';
import { createPool } from '../db/pool.ts';
import { withDatabase } from '../embedded/own-database.ts';
import { command, UsageError } from './command.ts';

// Which zips lie in which districts and counties (formats: docs/users.md).
await command(
  'npm run geo:load -- FILE …',
  {},
  async (files) => {
    if (files.length === 0) throw new UsageError();
    for (const file of files) await access(file, constants.R_OK);
    await withDatabase(readEnv(), async (databaseUrl) => {
      const pool = createPool(databaseUrl, 1);
      try {
        for (const file of files) {
          const { kind, rows, skipped, undecided } = await loadGeoFile(pool, file);
          console.log(`${file}: ${rows} rows of ${kind}, ${skipped} lines skipped; ${undecided} zips touch several and decide none`);
          console.log(`${file}: ${await relocateUsers(pool, kind)} people placed anew`);
        }
      } finally {
        await pool.end();
      }
    });
  },
  Number.POSITIVE_INFINITY,
);
