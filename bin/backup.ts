import { readEnv } from '../config/env.ts';
import { takeFolder, writeBackup } from '../core/backup/dump.ts';
import { refuseNone, withDatabase } from '../embedded/own-database.ts';
import { command, UsageError } from './command.ts';

// Everything in the database, as of one moment, while the platform goes on.
await command('npm run backup -- FOLDER', {}, async ([folder]) => {
  if (!folder) throw new UsageError();
  const env = readEnv();
  // Before a folder is made, or a database started, for nothing.
  refuseNone(env);
  takeFolder(folder);
  const { tables, takenAt } = await withDatabase(env, (url) => writeBackup(url, folder));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(`${rows} rows of ${tables.length} tables as of ${takenAt} are in ${folder}`);
});
