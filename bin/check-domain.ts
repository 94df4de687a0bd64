import { readEnv } from '../config/env.ts';
import { checkAndStore } from '../core/senders/stored-checks.ts';
import { checkTable } from '../core/senders/table.ts';
import { createPool } from '../db/pool.ts';
import { withDatabase } from '../embedded/own-database.ts';
import { usableAddress } from '../mail/address.ts';
import { command, UsageError } from './command.ts';

// Whether a domain of from lines is set up for sending. Ends with 1 when it is not.
await command('npm run check-domain -- DOMAIN [--json]', { json: { type: 'boolean', default: false } }, async ([name], values) => {
  const domain = usableAddress(`x@${name ?? ''}`)
    ?.slice(2)
    .toLowerCase();
  if (!domain) throw new UsageError();
  const env = readEnv();
  await withDatabase(env, async (connectionString) => {
    const pool = createPool(connectionString, 1);
    try {
      const check = await checkAndStore(pool, domain, env);
      console.log(values.json ? JSON.stringify(check) : checkTable(check));
      if (!check.passed) process.exitCode = 1;
    } finally {
      await pool.end();
    }
  });
});
