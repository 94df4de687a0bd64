import { readEnv } from '../config/env.ts';
import { readManifest } from '../core/backup/format.ts';
import { loadBackup } from '../core/backup/load.ts';
import { withNewDatabase } from '../embedded/own-database.ts';
import { command, UsageError } from './command.ts';

// A backup into a fresh database. What was under way is held unless --go-on says that nothing was sent since.
await command('npm run restore -- FOLDER [--go-on]', { 'go-on': { type: 'boolean', default: false } }, async ([folder], values) => {
  if (!folder) throw new UsageError();
  // Before a database is made for it.
  readManifest(folder);
  const { manifest, held } = await withNewDatabase(readEnv(), (url) => loadBackup(url, folder, values['go-on']));
  console.log(`Restored as of ${manifest.takenAt}.`);
  if (held)
    console.log(
      `Held: ${held.stopped} mailings stopped, ${held.drafts} back to draft, ${held.jobs} other mails and deliveries ended unsent.`,
    );
});
