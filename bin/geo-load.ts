import { readEnv } from '../config/env.ts';
import { GeoFileError, loadGeoFile } from '../core/geo/load.ts';
import { relocateUsers } from '../core/geo/relocate-users.ts';
import { createPool } from '../db/pool.ts';
import { withDatabase } from '../embedded/own-database.ts';

// npm run geo:load -- FILE …: which zips lie in which districts and counties (formats: docs/users.md).
const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('npm run geo:load -- FILE …');
  process.exit(2);
}
await withDatabase(readEnv(), async (databaseUrl) => {
  const pool = createPool(databaseUrl, 1);
  try {
    for (const file of files) {
      const { kind, rows, skipped, undecided } = await loadGeoFile(pool, file);
      console.log(`${file}: ${rows} rows of ${kind}, ${skipped} lines skipped; ${undecided} zips touch several and decide none`);
      console.log(`${file}: ${await relocateUsers(pool, kind)} people placed anew`);
    }
  } catch (error) {
    if (!(error instanceof GeoFileError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    await pool.end();
  }
});
