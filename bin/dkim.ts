import { DKIM_USAGE, isDkimCommand, runDkimCommand } from '../cli/dkim.ts';
import { readEnv } from '../config/env.ts';
import { createPool } from '../db/pool.ts';
import { withDatabase } from '../embedded/own-database.ts';
import { command, UsageError } from './command.ts';

// Makes, lists, chooses and removes the keys that sign mail.
await command(
  DKIM_USAGE,
  { algorithm: { type: 'string' }, selector: { type: 'string' } },
  async (words, values) => {
    if (!isDkimCommand(words)) throw new UsageError();
    const env = readEnv();
    await withDatabase(env, async (connectionString) => {
      const pool = createPool(connectionString, 1);
      try {
        console.log(await runDkimCommand(pool, env.SECRET_KEY, words, values));
      } finally {
        await pool.end();
      }
    });
  },
  3,
);
