import { plainArray, textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { heldBy, MOST_HELD, tooMuch } from '../../domain/people/field-room.ts';
import type { ImportedLine } from '../../domain/people/import-line.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';

const NOTHING = { values: 0, bytes: 0 };

/** Numbers of the lines, of those of a block, about people who would have too much in custom fields by them. */
export async function withoutRoom(sql: Sql, lines: ImportedLine[]): Promise<Set<number>> {
  const people = new Map<string, { lines: number[]; fields: Map<string, string> }>();
  for (const { line, email, userFields } of lines) {
    const given = Object.entries(userFields);
    if (given.length === 0) continue;
    const key = lowerCase(email);
    const person = people.get(key) ?? { lines: [] as number[], fields: new Map<string, string>() };
    people.set(key, person);
    person.lines.push(line);
    for (const [name, value] of given) person.fields.set(name, value);
  }
  const rows = [...people].flatMap(([email, { fields }]) =>
    [...fields].map(([name, value]) => ({ email, name, ...heldBy([[name, [value]]]) })),
  );
  const full = [...people].filter(([, { fields }]) => {
    const given = heldBy([...fields].map(([name, value]) => [name, [value]]));
    return tooMuch(given, NOTHING, NOTHING) !== null;
  });
  const known =
    rows.length === 0
      ? []
      : await sql<{ email: string }>(
          `with given as materialized (select * from unnest($1::text[], $2::text[], $3::int[]) x (email, name, bytes)),
     people as (select email, count(*) as values, sum(bytes) as bytes from given group by email),
     held as (
       select p.email, p.values, p.bytes, count(g.name) as replaced, count(*) - count(g.name) as others,
         coalesce(sum(octet_length(f.name) + octet_length(f.value)) filter (where g.name is not null), 0) as replaced_bytes,
         coalesce(sum(octet_length(f.name) + octet_length(f.value)) filter (where g.name is null), 0) as other_bytes
       from people p join core_user u on lower(u.email) = lower(p.email) join core_userfield f on f.parent_id = u.id
         left join given g on g.email = p.email and g.name = f.name
       group by p.email, p.values, p.bytes)
     select email from held
     where (values > replaced and others + values > $4::int) or (bytes > replaced_bytes and other_bytes + bytes > $5::int)`,
          [
            textArray(rows.map(({ email }) => email)),
            textArray(rows.map(({ name }) => name)),
            plainArray(rows.map(({ bytes }) => bytes)),
            MOST_HELD.values,
            MOST_HELD.bytes,
          ],
        );
  const names = new Set([...full.map(([email]) => email), ...known.map(({ email }) => email)]);
  return new Set([...people].flatMap(([email, person]) => (names.has(email) ? person.lines : [])));
}
