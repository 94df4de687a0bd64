import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { Sql } from '../../db/sql.ts';
import { looksLikeAkid, readAnyAkid } from '../../domain/akid.ts';
import { InputError } from '../../domain/errors.ts';
import { MERGEFILE_LOOKUPS, type MergefileLookup } from '../../domain/words.ts';
import { addressKey } from '../../mail/address.ts';
import { CountedCells } from '../csv-cells.ts';
import { inTurns } from '../csv-records.ts';
import { separated } from '../csv-separator.ts';
import { EMPTIED } from '../people/emptied-address.ts';

/** A merge file that has arrived. */
export interface MergefileForm {
  name: string;
  filename: string;
  /** From its beginning. */
  content(): Readable;
  /** Whether whoever sends it may read people. To others the file says nothing of whom it names: a line for each address would tell who is known. */
  mayReadPeople: boolean;
}

/** So much is held of a file at a time: rows of different people, and characters. */
const ROWS_AT_ONCE = 2_000;
const CHARACTERS_AT_ONCE = 2_000_000;
const MOST_COLUMNS = 200;
/** Characters in one line. */
const LONGEST_LINE = 1_000_000;
/** Characters of all names: they stand in the row of each person. */
const LONGEST_NAMES = 10_000;

/**
 * The lines of a CSV file, or one with tabs or semicolons, the first with the names of the columns.
 * @throws InputError under `file`, with the line
 */
export async function* mergefileLines(file: Readable): AsyncGenerator<string[]> {
  const { separator, content } = await separated(file, LONGEST_LINE);
  const parser = parse({
    delimiter: separator,
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    // As spreadsheets write rows that were emptied.
    skip_records_with_empty_values: true,
    trim: true,
    relax_column_count: false,
    max_record_size: LONGEST_LINE,
  });
  // Errors of each come out of the parser below.
  pipeline(content, new CountedCells(separator), parser, () => {});
  try {
    for await (const record of inTurns(parser)) {
      if (record.some((value) => value.includes('\0'))) throw refused('holds a NUL character', parser.info.lines);
      yield record;
    }
  } catch (error) {
    if (error instanceof CsvError) throw refused(error.message.replace(/\.$/, ''), parser.info.lines);
    throw error;
  }
}

const refused = (why: string, line: number) => new InputError({ file: `The file cannot be read at line ${line}: ${why}.` });

function lookupOf(header: string[]): MergefileLookup {
  if (header.length > MOST_COLUMNS) throw new InputError({ file: `The file has more than ${MOST_COLUMNS} columns.` });
  for (const name of header) {
    if (!name || name.length > 255 || name.startsWith('_')) {
      throw new InputError({ file: 'Each column needs a name of at most 255 characters that does not begin with _.' });
    }
  }
  if (header.join('').length > LONGEST_NAMES) {
    throw new InputError({ file: `The names of the columns have more than ${LONGEST_NAMES} characters together.` });
  }
  if (new Set(header).size < header.length) throw new InputError({ file: 'Two columns have the same name.' });
  const lookup = MERGEFILE_LOOKUPS.find((name) => header.includes(name));
  if (!lookup) throw new InputError({ file: `One column has to be ${MERGEFILE_LOOKUPS.join(', ')}.` });
  return lookup;
}

/**
 * Stores a file and its rows, in the caller's transaction. The first of `email`, `user_id` and `akid` that is a column says whose a row is; of two rows for one
 * person the last counts. Memory does not grow with the file.
 * @returns the id of the new merge file
 * @throws InputError for a file that cannot be read
 */
export async function writeMergefile(sql: Sql, { name, filename, content, mayReadPeople }: MergefileForm, secret: string): Promise<number> {
  let columns: string[] | null = null;
  let lookup: MergefileLookup = 'email';
  let id = 0;
  let [rows, found, nobodys] = [0, 0, 0];
  let batch = new Map<string, { times: number; cells: string[] }>();
  let characters = 0;
  const store = async () => {
    found += await storeRows(sql, id, columns!, lookup, batch);
    [batch, characters] = [new Map(), 0];
  };
  for await (const cells of mergefileLines(content())) {
    if (!columns) {
      [columns, lookup] = [cells, lookupOf(cells)];
      id = await makeMergefile(sql, { name, filename, lookup, columns });
      continue;
    }
    rows++;
    const whose = cells[columns.indexOf(lookup)]!;
    const key = keyOf(lookup, whose, secret);
    if (key === null) {
      // A wrong akid as well as a right one: a file of guesses would tell which it is, a million at a time.
      if (lookup !== 'akid' || !looksLikeAkid(whose)) nobodys++;
      continue;
    }
    batch.set(key, { times: (batch.get(key)?.times ?? 0) + 1, cells });
    for (const cell of cells) characters += cell.length;
    if (batch.size >= ROWS_AT_ONCE || characters >= CHARACTERS_AT_ONCE) await store();
  }
  if (!columns) throw new InputError({ file: 'The file is empty.' });
  if (batch.size > 0) await store();
  const left = mayReadPeople ? rows - found : nobodys;
  await sql(
    `update core_mergefile set error = $2, row_count = coalesce($3, (select count(*) from core_mergefilerow where mergefile_id = $1)) where id = $1`,
    [id, left ? `${left} of ${rows} rows name nobody.` : '', mayReadPeople ? null : rows - nobodys],
  );
  return id;
}

async function makeMergefile(
  sql: Sql,
  { name, filename, lookup, columns }: { name: string; filename: string; lookup: MergefileLookup; columns: string[] },
): Promise<number> {
  const [made] = await sql<{ id: number }>(
    `insert into core_mergefile (name, filename, lookup_column, columns) values ($1, $2, $3, $4) returning id`,
    [name, filename, lookup, JSON.stringify(columns)],
  );
  return made!.id;
}

/**
 * Who was erased is nobody: the rows of people are held, which writing theirs does as well, so that who is being erased has none afterwards.
 * @param rows by what their key is looked up by; `times` says how many rows of the file had it
 * @returns how many rows name somebody
 */
async function storeRows(
  sql: Sql,
  id: number,
  columns: string[],
  lookup: MergefileLookup,
  rows: Map<string, { times: number; cells: string[] }>,
): Promise<number> {
  const whose = lookup === 'email' ? 'lower(u.email) = r.key' : 'u.id = r.key::int';
  const [matched] = await sql<{ matched: number }>(
    `with r as (select * from jsonb_to_recordset($2::jsonb) as x(key text, times int, cells text[])),
     found as (select u.id, r.times, r.cells from r join core_user u on ${whose} where not ${EMPTIED} for key share of u),
     stored as (
       insert into core_mergefilerow (mergefile_id, user_id, values) select $1, id, jsonb_object($3::text[], cells) from found order by id
       on conflict (mergefile_id, user_id) do update set values = excluded.values)
     select coalesce(sum(times), 0)::int as matched from found`,
    [id, JSON.stringify([...rows].map(([key, row]) => ({ key, ...row }))), columns],
  );
  return matched!.matched;
}

/** What a row's key is looked up by; null when it cannot be anybody's. */
function keyOf(lookup: MergefileLookup, key: string, secret: string): string | null {
  if (lookup === 'email') return addressKey(key);
  if (lookup === 'akid') return readAnyAkid(secret, key)?.userId.toString() ?? null;
  return /^[1-9]\d{0,9}$/.test(key) && Number(key) <= 2_147_483_647 ? key : null;
}

/** A mailing that uses the file; null when none does. */
export async function mailingUsing(sql: Sql, mergefileId: number): Promise<number | null> {
  const [used] = await sql<{ id: number }>('select id from core_mailing where mergefile_id = $1 limit 1', [mergefileId]);
  return used?.id ?? null;
}
