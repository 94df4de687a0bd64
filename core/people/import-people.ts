import { plainArray, textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { IMPORT_COLUMNS, type ImportedLine } from '../../domain/people/import-line.ts';
import { applyLines, type Imported, type PersonRow } from '../../domain/people/imported-person.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { locateMany } from '../geo/locate-many.ts';
import { centroidOf, stateCode } from '../geo/zip-centroids.ts';

/** What people who are new get from the page they are imported to. */
export interface OfNewPeople {
  list_id: number | null;
  language_id: number | null;
  /** Whether nothing is said of them but custom fields: who is there stays as they are then, the source of their first action still unknown, say. */
  user_fields_only: boolean;
}

export interface SavedPerson {
  id: number;
  /** By this import, just now. */
  made: boolean;
  /** They were not there, and were not made. */
  refused: boolean;
}

/** All lines of a block about one person. */
interface Person extends SavedPerson {
  email: string;
  lines: ImportedLine[];
  stored: PersonRow | null;
}

/**
 * Finds or makes the people of some lines and writes what the lines say of them, set-wise.
 * @param refusing asked when it is known who is not there: which addresses nobody is made of
 * @returns the person of each line, the same object for the same person
 */
export async function savePeople(
  sql: Sql,
  upload: OfNewPeople,
  lines: ImportedLine[],
  refusing: () => Promise<(email: string) => boolean>,
): Promise<SavedPerson[]> {
  const byEmail = new Map<string, Person>();
  const people = lines.map((line) => {
    const key = lowerCase(line.email);
    const person = byEmail.get(key) ?? { id: 0, made: false, refused: false, email: line.email, lines: [], stored: null };
    if (person.lines.push(line) === 1) byEmail.set(key, person);
    return person;
  });
  // Who turns up between the look and the insert is there at the next look.
  for (let open = [...byEmail.values()]; open.length > 0; open = open.filter(({ id, refused }) => id === 0 && !refused)) {
    await findPeople(sql, open);
    const [there, missing] = [open.filter(({ stored }) => stored), open.filter(({ stored }) => !stored)];
    if (there.length > 0 && !upload.user_fields_only) await updatePeople(sql, there);
    if (missing.length === 0) continue;
    const isRefused = await refusing();
    for (const person of missing) person.refused = isRefused(person.email);
    const news = missing.filter(({ refused }) => !refused);
    if (news.length > 0) await insertPeople(sql, upload, news);
  }
  return people;
}

/** Holds the rows of those who are there, and reads them. */
async function findPeople(sql: Sql, people: Person[]): Promise<void> {
  const rows = await sql<PersonRow & { id: number; nth: string }>(
    `select x.nth, u.id, ${IMPORT_COLUMNS.map((column) => `u.${column}`).join(', ')}
     from unnest($1::text[]) with ordinality x (email, nth) join core_user u on lower(u.email) = lower(x.email) order by u.id for no key update of u`,
    [textArray(people.map(({ email }) => email))],
  );
  for (const { nth, id, ...stored } of rows) Object.assign(people[Number(nth) - 1]!, { id, stored });
}

const imported = ({ stored, lines }: Person): Imported => applyLines(stored, lines, centroidOf, stateCode);

async function updatePeople(sql: Sql, people: Person[]): Promise<void> {
  const wanted = people.map((person) => ({ person, ...imported(person) }));
  const changed = wanted.filter(({ person, row }) => IMPORT_COLUMNS.some((column) => person.stored![column] !== row[column]));
  if (changed.length > 0) {
    const places = IMPORT_COLUMNS.map((_, index) => `$${index + 2}::text[]`);
    await sql(
      `update core_user u set ${IMPORT_COLUMNS.map((column) => `${column} = x.${column}`).join(', ')}, updated_at = now()
       from unnest($1::int[], ${places.join(', ')}) x (id, ${IMPORT_COLUMNS.join(', ')}) where u.id = x.id`,
      [
        plainArray(changed.map(({ person }) => person.id)),
        ...IMPORT_COLUMNS.map((column) => textArray(changed.map(({ row }) => row[column]))),
      ],
    );
  }
  await locate(sql, wanted);
}

/**
 * Those who are new get their status right away: the subscription follows in the same transaction, and ten indexes are not written twice. Numbers are in the order of the file;
 * they are written in that of their addresses, so that two files that name the same people in other orders wait for each other one way.
 */
async function insertPeople(sql: Sql, upload: OfNewPeople, people: Person[]): Promise<void> {
  const wanted = people.map((person) => ({ person, ...imported(person) }));
  const filled = IMPORT_COLUMNS.filter((column) => wanted.some(({ row }) => row[column] !== ''));
  const made = await sql<{ id: number; nth: string }>(
    `with given as materialized (
       select nextval('core_user_id_seq')::int as id, x.*
       from unnest($3::text[], ${filled.map((_, index) => `$${index + 4}::text[]`).join(', ')}) with ordinality x (email, ${filled.join(', ')}, nth)
     ), made as (
       insert into core_user (id, email, lang_id, subscription_status, ${filled.join(', ')})
       select id, email, $1::int, $2::text, ${filled.join(', ')} from given order by lower(email) on conflict (lower(email)) do nothing returning id
     )
     select id, nth from given join made using (id)`,
    [
      upload.language_id,
      upload.list_id === null ? 'never' : 'subscribed',
      textArray(people.map(({ email }) => email)),
      ...filled.map((column) => textArray(wanted.map(({ row }) => row[column]))),
    ],
  );
  for (const { id, nth } of made) Object.assign(people[Number(nth) - 1]!, { id, made: true });
  await locate(
    sql,
    wanted.filter(({ person }) => person.made),
  );
}

function locate(sql: Sql, wanted: (Imported & { person: Person })[]): Promise<void> {
  const placed = wanted.filter((each) => each.placed);
  return locateMany(
    sql,
    placed.map(({ person, received, row }) => ({ userId: person.id, received, address: row })),
  );
}
