import { readFile } from 'node:fs/promises';
import { readEnv } from '../config/env.ts';
import { saveRates } from '../core/donations/rates.ts';
import { createPool } from '../db/pool.ts';
import { sqlOn } from '../db/sql.ts';
import { readEcbRates } from '../domain/ecb-rates.ts';
import { withDatabase } from '../embedded/own-database.ts';

// npm run rates:load -- <eurofxref-daily.xml>: takes the rates of a day as the European Central Bank publishes them. Safe to run again.
const [file] = process.argv.slice(2);
if (!file) throw new Error('Usage: npm run rates:load -- <eurofxref-daily.xml>');
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
