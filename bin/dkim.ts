import { parseArgs } from 'node:util';
import { runDkimCommand } from '../cli/dkim.ts';
import { readEnv } from '../config/env.ts';
import { createPool } from '../db/pool.ts';
import { InputError } from '../domain/errors.ts';
import { withDatabase } from '../embedded/own-database.ts';

// npm run dkim: makes, lists, chooses and removes the keys that sign mail.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { algorithm: { type: 'string' }, selector: { type: 'string' } },
});
const env = readEnv();
await withDatabase(env, async (connectionString) => {
  const pool = createPool(connectionString, 1);
  try {
    console.log(await runDkimCommand(pool, env.SECRET_KEY, positionals, values));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    for (const messages of Object.values(error.fields)) for (const message of messages) console.error(message);
    process.exitCode = 1;
  } finally {
    await pool.end();
  }
});
