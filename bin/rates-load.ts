import { readFile } from 'node:fs/promises';
import { readEnv } from '../config/env.ts';
import { saveRates } from '../core/donations/rates.ts';
import { createPool } from '../db/pool.ts';
import { sqlOn } from '../db/sql.ts';
import { readEcbRates } from '../domain/ecb-rates.ts';
import { withDatabase } from '../embedded/own-database.ts';
import { command, UsageError } from './command.ts';

// Takes the rates of a day as the European Central Bank publishes them. Safe to run again.
await command('npm run rates:load -- FILE   (eurofxref-daily.xml of the European Central Bank)', {}, async ([file]) => {
  if (!file) throw new UsageError();
  const { day, rates } = readEcbRates(await readFile(file, 'utf8'));
  await withDatabase(readEnv(), async (connectionString) => {
    const pool = createPool(connectionString, 1);
    try {
      await saveRates(sqlOn(pool), day, rates);
      console.log(`${Object.keys(rates).length} rates of ${day}`);
    } finally {
      await pool.end();
    }
  });
});
