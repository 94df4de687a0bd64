import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { needed, readEnv } from '../config/env.ts';
import { readEcbRates } from '../domain/ecb-rates.ts';
import { saveRates } from '../entities/donations/rates.ts';
import { sqlOn } from '../entities/sql.ts';

// npm run rates:load -- <eurofxref-daily.xml>: takes the rates of a day as the European Central Bank publishes them. Safe to run again.
const [file] = process.argv.slice(2);
if (!file) throw new Error('Usage: npm run rates:load -- <eurofxref-daily.xml>');
const { day, rates } = readEcbRates(await readFile(file, 'utf8'));

const pool = new pg.Pool({ connectionString: needed(readEnv(), 'DATABASE_URL').DATABASE_URL, max: 1 });
try {
  await saveRates(sqlOn(pool), day, rates);
  console.log(`${Object.keys(rates).length} rates of ${day}`);
} finally {
  await pool.end();
}
