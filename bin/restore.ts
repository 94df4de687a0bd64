import { parseArgs } from 'node:util';
import { readEnv } from '../config/env.ts';
import { BackupError } from '../core/backup/format.ts';
import { loadBackup } from '../core/backup/load.ts';
import { withDatabase } from '../embedded/own-database.ts';

// npm run restore -- FOLDER [--go-on]: a backup into a fresh database. What was under way is held unless --go-on says that nothing was sent since.
const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'go-on': { type: 'boolean', default: false } } });
const [folder] = positionals;
if (!folder) {
  console.error('npm run restore -- FOLDER [--go-on]');
  process.exit(2);
}
try {
  const { manifest, held } = await withDatabase(readEnv(), (url) => loadBackup(url, folder, values['go-on']));
  console.log(`Restored as of ${manifest.takenAt}.`);
  if (held)
    console.log(
      `Held: ${held.stopped} mailings stopped, ${held.drafts} back to draft, ${held.jobs} proofs and confirmations ended unsent.`,
    );
} catch (error) {
  if (!(error instanceof BackupError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
