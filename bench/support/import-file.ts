import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { importUpload } from '../../core/people/import-upload.ts';
import { stageUpload } from '../../core/people/stage-upload.ts';
import { keptAddress } from '../../mail/address.ts';

const COLUMNS = ['email', 'first_name', 'last_name', 'zip'];

/**
 * A file of people who are all new, imported onto a list; and the same lines by COPY, twice: into the table of users as it stands (the same rows in
 * the same indexes, and nothing else: no check of a line, no corrected address, place, action or subscription), and into a table without any index.
 */
export async function importFile(pool: pg.Pool, folder: string, lines: number): Promise<Record<string, unknown>> {
  const [file, copied] = [await writeFile(folder, 'import', lines), await writeFile(folder, 'copied', lines)];
  await pool.query(`create table bare (${COLUMNS.map((column) => `${column} text`).join(', ')})`);
  const plain = lines / (await copy(pool, file, 'bare'));
  await pool.query('drop table bare');
  const intoUsers = lines / (await copy(pool, copied, `core_user (${COLUMNS.join(', ')})`));

  const uploadId = await newUpload(pool, lines);
  const began = performance.now();
  const client = await pool.connect();
  await client.query('begin');
  await stageUpload(client, uploadId, createReadStream(file), keptAddress);
  await client.query('commit');
  client.release();
  const staged = seconds(began);
  let atTenth = { rss: 0, held: 0 };
  const watch = setInterval(async () => {
    const { rows } = await pool.query('select progress from core_upload where id = $1', [uploadId]);
    if (rows[0].progress >= lines / 10 && atTenth.rss === 0) atTenth = memory();
  }, 250);
  await importUpload({ pool, env: { SECRET_KEY: 'secret' } }, uploadId, () => true);
  clearInterval(watch);
  const perSecond = lines / seconds(began);
  const atEnd = memory();
  return {
    lines,
    linesPerSecond: Math.round(perSecond),
    stagingSeconds: round(staged, 10),
    copyIntoUsersPerSecond: Math.round(intoUsers),
    ratio: round(perSecond / intoUsers, 1000),
    copyWithoutIndexesPerSecond: Math.round(plain),
    ratioWithoutIndexes: round(perSecond / plain, 1000),
    memoryMb: { atTenth: atTenth.rss, atEnd: atEnd.rss },
    heldMb: { atTenth: atTenth.held, atEnd: atEnd.held },
  };
}

async function writeFile(folder: string, name: string, lines: number): Promise<string> {
  function* chunks() {
    yield `${COLUMNS.join(',')}\n`;
    for (let from = 0; from < lines; from += 1000) {
      const numbers = Array.from({ length: Math.min(1000, lines - from) }, (_, index) => from + index);
      yield numbers.map((n) => `${name}${n}@example.org,First${n},Last${n},${String(10_001 + (n % 80_000)).padStart(5, '0')}\n`).join('');
    }
  }
  const path = join(folder, `${name}.csv`);
  await pipeline(Readable.from(chunks()), createWriteStream(path));
  return path;
}

/** @returns seconds */
async function copy(pool: pg.Pool, file: string, into: string): Promise<number> {
  const client = await pool.connect();
  const began = performance.now();
  await pipeline(createReadStream(file), client.query(copyFrom(`copy ${into} from stdin (format csv, header)`)));
  client.release();
  return seconds(began);
}

async function newUpload(pool: pg.Pool, lines: number): Promise<number> {
  const { rows: lists } = await pool.query(`insert into core_list (name) values ('imported') returning id`);
  const { rows: pages } = await pool.query(
    `insert into core_page (name, type, list_id) values ('bench-import', 'import', $1) returning id`,
    [lists[0].id],
  );
  const { rows } = await pool.query('insert into core_upload (page_id, columns, line_count) values ($1, $2, $3) returning id', [
    pages[0].id,
    JSON.stringify(COLUMNS),
    lines,
  ]);
  return rows[0].id;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Megabytes: what the system has given the process, and what of it is in use once garbage is collected. */
function memory(): { rss: number; held: number } {
  const { rss } = process.memoryUsage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { rss: Math.round(rss / 1e6), held: Math.round((heapUsed + external) / 1e6) };
}

const seconds = (began: number) => (performance.now() - began) / 1000;
const round = (value: number, by: number) => Math.round(value * by) / by;
