import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { Sql } from '../../db/sql.ts';
import { readAnyAkid } from '../../domain/akid.ts';
import { InputError } from '../../domain/errors.ts';
import { MERGEFILE_LOOKUPS, type MergefileLookup } from '../../domain/words.ts';
import { CountedCells } from '../csv-cells.ts';

/** A merge file as read: nobody has looked yet whose the rows are. */
export interface MergefileRows {
  lookup: MergefileLookup;
  columns: string[];
  rows: { key: string; values: Record<string, string> }[];
}

export type MergefileContent = MergefileRows & { filename: string };

const ROWS_AT_ONCE = 5000;
const MOST_COLUMNS = 200;

/**
 * Reads CSV with a line of column names. The first of `email`, `user_id` and `akid` that is a column says whose a row is.
 * @throws InputError under `file`, with the line
 */
export async function readMergefile(file: Readable): Promise<MergefileRows> {
  const parser = parse({
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    trim: true,
    relax_column_count: false,
    max_record_size: 1_000_000,
  });
  // Errors of each come out of the parser below.
  pipeline(file, new CountedCells(), parser, () => {});
  let header: string[] | null = null;
  let lookup: MergefileLookup | undefined;
  const rows: MergefileRows['rows'] = [];
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      if (!header) {
        header = record;
        lookup = lookupOf(header);
        continue;
      }
      if (record.some((value) => value.includes('\0'))) throw refused('holds a NUL character', parser.info.lines);
      const values: Record<string, string> = {};
      for (const [index, name] of header.entries()) values[name] = record[index] ?? '';
      rows.push({ key: values[lookup!] ?? '', values });
    }
  } catch (error) {
    if (error instanceof CsvError) throw refused(error.message.replace(/\.$/, ''), parser.info.lines);
    throw error;
  }
  if (!header || !lookup) throw new InputError({ file: 'The file is empty.' });
  return { lookup, columns: header, rows };
}

const refused = (why: string, line: number) => new InputError({ file: `The file cannot be read at line ${line}: ${why}.` });

function lookupOf(header: string[]): MergefileLookup {
  if (header.length > MOST_COLUMNS) throw new InputError({ file: `The file has more than ${MOST_COLUMNS} columns.` });
  for (const name of header) {
    if (!name || name.length > 255 || name.includes('\0') || name.startsWith('_')) {
      throw new InputError({ file: 'Each column needs a name of at most 255 characters that does not begin with _.' });
    }
  }
  if (new Set(header).size < header.length) throw new InputError({ file: 'Two columns have the same name.' });
  const lookup = MERGEFILE_LOOKUPS.find((name) => header.includes(name));
  if (!lookup) throw new InputError({ file: `One column has to be ${MERGEFILE_LOOKUPS.join(', ')}.` });
  return lookup;
}

/**
 * Stores a file and its rows, in the caller's transaction. Of two rows for one person the last counts.
 * @returns the id of the new merge file
 */
export async function writeMergefile(sql: Sql, content: MergefileContent, name: string, secret: string): Promise<number> {
  const { filename, lookup, columns, rows } = content;
  const [made] = await sql<{ id: number }>(
    `insert into core_mergefile (name, filename, lookup_column, columns) values ($1, $2, $3, $4) returning id`,
    [name, filename, lookup, JSON.stringify(columns)],
  );
  const id = made!.id;
  let found = 0;
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const batch = rows
      .slice(from, from + ROWS_AT_ONCE)
      .map(({ key, values }, place) => ({ key: keyOf(lookup, key, secret), place, values }));
    const whose = lookup === 'email' ? 'lower(u.email) = r.key' : 'u.id = r.key::int';
    const matched = await sql<{ matched: number }>(
      `with r as (select * from jsonb_to_recordset($2::jsonb) as x(key text, place int, values jsonb) where key is not null),
       found as (select distinct on (u.id) u.id, r.values, count(*) over () as matched from r join core_user u on ${whose} order by u.id, r.place desc),
       stored as (
         insert into core_mergefilerow (mergefile_id, user_id, values) select $1, id, values from found
         on conflict (mergefile_id, user_id) do update set values = excluded.values)
       select coalesce(max(matched), 0)::int as matched from found`,
      [id, JSON.stringify(batch)],
    );
    found += matched[0]!.matched;
  }
  const left = rows.length - found;
  await sql(
    `update core_mergefile set error = $2, row_count = (select count(*) from core_mergefilerow where mergefile_id = $1) where id = $1`,
    [id, left ? `${left} of ${rows.length} rows name nobody.` : ''],
  );
  return id;
}

/** What a row's key is looked up by; null when it cannot be anybody's. */
function keyOf(lookup: MergefileLookup, key: string, secret: string): string | null {
  if (lookup === 'email') return key.toLowerCase();
  if (lookup === 'akid') return readAnyAkid(secret, key)?.userId.toString() ?? null;
  return /^[1-9]\d{0,9}$/.test(key) && Number(key) <= 2_147_483_647 ? key : null;
}

/** A mailing that uses the file; null when none does. */
export async function mailingUsing(sql: Sql, mergefileId: number): Promise<number | null> {
  const [used] = await sql<{ id: number }>('select id from core_mailing where mergefile_id = $1 limit 1', [mergefileId]);
  return used?.id ?? null;
}
