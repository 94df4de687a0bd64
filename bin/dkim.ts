import { parseArgs } from 'node:util';
import pg from 'pg';
import { needed, readEnv } from '../config/env.ts';
import { InputError } from '../domain/errors.ts';
import { runDkimCommand } from '../mail/dkim/command.ts';

// npm run dkim: makes, lists, chooses and removes the keys that sign mail.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { algorithm: { type: 'string' }, selector: { type: 'string' } },
});
const env = readEnv();
const pool = new pg.Pool({ connectionString: needed(env, 'DATABASE_URL').DATABASE_URL, max: 1 });
try {
  console.log(await runDkimCommand(pool, env.SECRET_KEY, positionals, values));
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  for (const messages of Object.values(error.fields)) for (const message of messages) console.error(message);
  process.exitCode = 1;
} finally {
  await pool.end();
}
