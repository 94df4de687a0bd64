import { parseArgs } from 'node:util';
import { readEnv } from '../config/env.ts';
import { checkAndStore } from '../core/senders/stored-checks.ts';
import { checkTable } from '../core/senders/table.ts';
import { createPool } from '../db/pool.ts';
import { withDatabase } from '../embedded/own-database.ts';
import { usableAddress } from '../mail/address.ts';

// npm run check-domain -- <domain> [--json]: whether a domain of from lines is set up for sending. Ends with 1 when it is not.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { json: { type: 'boolean', default: false } },
});
const domain = usableAddress(`x@${positionals[0] ?? ''}`)
  ?.slice(2)
  .toLowerCase();
if (!domain) {
  console.error('npm run check-domain -- <domain> [--json]');
  process.exit(2);
}

const env = readEnv();
await withDatabase(env, async (connectionString) => {
  const pool = createPool(connectionString, 1);
  try {
    const check = await checkAndStore(pool, domain, env);
    console.log(values['json'] ? JSON.stringify(check) : checkTable(check));
    if (!check.passed) process.exitCode = 1;
  } finally {
    await pool.end();
  }
});
