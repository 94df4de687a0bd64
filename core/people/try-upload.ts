import type { Readable } from 'node:stream';
import { plainArray, textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { PermissionError } from '../../domain/errors.ts';
import { BY_AKID, IMPORT_COLUMNS, type ImportedLine, type PersonOf, readLine, withIds } from '../../domain/people/import-line.ts';
import { applyLines, type PersonRow } from '../../domain/people/imported-person.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { type HeldPhone, takenPhones } from '../../domain/people/phone-number.ts';
import { keptAddress } from '../../mail/address.ts';
import { isEmpty } from '../csv-records.ts';
import { centroidOf, stateCode } from '../geo/zip-centroids.ts';
import { csvLines, LONGEST_RECORD } from './csv-lines.ts';
import { ERASED_LINE, erasedAmong } from './erased.ts';
import { addressLines, lookUpNamed } from './import-ids.ts';
import { heldPhones } from './phones.ts';

/** What a line would come to: nobody knows the person yet; somebody is changed; there is nothing new; the file had them above; it cannot be imported. */
export const OUTCOMES = ['new', 'changed', 'same', 'repeated', 'wrong'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface TriedLine {
  line: number;
  outcome: Outcome;
  /** What is wrong, or changes. */
  detail: string;
}

/** So many lines are looked up at a time, or so many characters: memory does not depend on how long lines are. */
const BLOCK = 1000;
const BLOCK_LENGTH = LONGEST_RECORD;
/** And so many of a file: the rest goes as these do. */
export const MOST_TRIED = 20_000;

/**
 * What would become of the lines of a file, were it imported now. Writes nothing.
 * @param columns what each column is; an empty one is left out
 * @param look whether to look who is known already; without, it is only said which lines cannot be imported
 * @param told is told in the end whether there are more lines, which were not looked at
 * @param personOf whom akids name; without, a file that has some is refused
 * @throws InputError for a file that cannot be read, PermissionError
 */
export async function* tryUpload(
  sql: Sql,
  file: Readable,
  columns: string[],
  look: boolean,
  told = { more: false },
  personOf: PersonOf | null = null,
): AsyncGenerator<TriedLine> {
  if (!personOf && columns.includes(BY_AKID)) throw new PermissionError('user:read');
  const seen = new Map<string, number>();
  let line = 0;
  // The first names the columns.
  let below = -1;
  let block: (ImportedLine | { line: number; wrong: string })[] = [];
  let length = 0;
  for await (const cells of csvLines(file)) {
    line++;
    if (isEmpty(cells)) continue;
    told.more = below === MOST_TRIED;
    if (told.more) break;
    if (++below === 0) continue;
    const read = readLine(columns, personOf ? withIds(columns, cells, personOf) : cells, line, keptAddress);
    block.push(typeof read === 'string' ? { line, wrong: read } : read);
    for (const cell of cells) length += cell.length;
    if (block.length === BLOCK || length >= BLOCK_LENGTH) {
      yield* await tried(sql, block, seen, look, columns);
      [block, length] = [[], 0];
    }
  }
  yield* await tried(sql, block, seen, look, columns);
}

async function tried(
  sql: Sql,
  block: (ImportedLine | { line: number; wrong: string })[],
  seen: Map<string, number>,
  look: boolean,
  columns: string[],
): Promise<TriedLine[]> {
  const good = block.flatMap((each) => ('wrong' in each ? [] : [each]));
  const misnamed = look ? addressLines(good, await lookUpNamed(sql, good), columns) : new Map<number, string>();
  const emails = good.map(({ email }) => lowerCase(email));
  const rows = look
    ? await sql<PersonRow & { id: number; email: string }>(
        `select id, lower(email) as email, ${IMPORT_COLUMNS.join(', ')} from core_user where lower(email) = any($1::text[])`,
        [emails],
      )
    : [];
  const erased = look ? await erasedAmong(sql, emails) : new Set<string>();
  const known = new Map(rows.map((row) => [row.email, row]));
  const called = good.some(({ phones }) => phones.length > 0);
  const phones = await (called
    ? heldPhones(
        sql,
        rows.map(({ id }) => id),
      )
    : new Map<number, HeldPhone[]>());
  const fields = await otherFields(sql, good, (line) => known.get(lowerCase(line.email))?.id);
  return block.map((each): TriedLine => {
    const { line } = each;
    if ('wrong' in each) return { line, outcome: 'wrong', detail: each.wrong };
    const email = lowerCase(each.email);
    if (erased.has(email)) return { line, outcome: 'wrong', detail: ERASED_LINE };
    const wrong = misnamed.get(line);
    if (wrong !== undefined) return { line, outcome: 'wrong', detail: wrong };
    // Where nobody is looked up, who is named by id alone has no address here.
    const person = email || String(each.userId);
    const above = seen.get(person);
    if (above !== undefined) return { line, outcome: 'repeated', detail: `the same person as in line ${above}` };
    seen.set(person, line);
    const stored = known.get(email);
    if (!stored) return { line, outcome: 'new', detail: '' };
    const { row } = applyLines(stored, [each], centroidOf, stateCode);
    const changes = [
      ...IMPORT_COLUMNS.filter((column) => stored[column] !== row[column]),
      ...takenPhones(phones.get(stored.id) ?? [], each.phones).map(({ type }) => `${type}_phone`),
      ...(fields.get(line) ?? []).map((name) => `user_${name}`),
    ];
    return { line, outcome: changes.length ? 'changed' : 'same', detail: changes.join(', ') };
  });
}

/** By line, the custom fields of people there are that it gives other values than they have (import-block.ts). @param idOf undefined for somebody new */
async function otherFields(
  sql: Sql,
  lines: ImportedLine[],
  idOf: (line: ImportedLine) => number | undefined,
): Promise<Map<number, string[]>> {
  const given = lines.flatMap((line) => {
    const user = idOf(line);
    return user === undefined ? [] : Object.entries(line.userFields).map(([name, value]) => ({ line: line.line, user, name, value }));
  });
  if (given.length === 0) return new Map();
  const rows = await sql<{ line: number; names: string[] }>(
    `select line, array_agg(name order by nth) as names
     from unnest($1::int[], $2::int[], $3::text[], $4::text[]) with ordinality x (line, parent, name, value, nth)
     where array(select f.value from core_userfield f where f.parent_id = x.parent and f.name = x.name) is distinct from array[x.value] group by line`,
    [
      plainArray(given.map(({ line }) => line)),
      plainArray(given.map(({ user }) => user)),
      textArray(given.map(({ name }) => name)),
      textArray(given.map(({ value }) => value)),
    ],
  );
  return new Map(rows.map(({ line, names }) => [line, names]));
}
