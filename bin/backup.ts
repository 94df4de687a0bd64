import { readEnv } from '../config/env.ts';
import { writeBackup } from '../core/backup/dump.ts';
import { BackupError } from '../core/backup/format.ts';
import { withDatabase } from '../embedded/own-database.ts';

// npm run backup -- FOLDER: everything in the database, as of one moment, while the platform goes on.
const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('npm run backup -- FOLDER');
  process.exit(2);
}
try {
  const { tables, takenAt } = await withDatabase(readEnv(), (url) => writeBackup(url, folder));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(`${rows} rows of ${tables.length} tables as of ${takenAt} are in ${folder}`);
} catch (error) {
  if (!(error instanceof BackupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
