import { plainArray, textArray } from '../../db/array-literals.ts';
import type { Sql } from '../../db/sql.ts';
import { readAnyAkid } from '../../domain/akid.ts';
import { BY_AKID, BY_ID, type ImportedLine, type PersonOf } from '../../domain/people/import-line.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';

/** Somebody whom a line names by id. */
interface Named {
  id: number;
  email: string;
}

/** Whom akids name that are signed with this secret. */
export const personBy =
  (secret: string): PersonOf =>
  (text) =>
    readAnyAkid(secret, text)?.userId ?? null;

/**
 * Whom lines name by id, held until the transaction ends: an address that changed after it was read would be nobody's, or somebody else's. Those named by their
 * address are held with them: rows that are waited for are taken in one order everywhere, that of their ids.
 */
export async function holdNamed(sql: Sql, lines: ImportedLine[]): Promise<Named[]> {
  const ids = idsOf(lines);
  if (ids.length === 0) return [];
  const emails = lines.flatMap(({ userId, email }) => (userId === null ? [lowerCase(email)] : []));
  return sql<Named>(
    `select u.id, u.email from core_user u where u.id = any($1::int[]) or lower(u.email) = any($2::text[]) order by u.id for no key update`,
    [plainArray(ids), textArray(emails)],
  );
}

/** The same people as they are, held by nothing. */
export async function lookUpNamed(sql: Sql, lines: ImportedLine[]): Promise<Named[]> {
  const ids = idsOf(lines);
  return ids.length === 0 ? [] : sql<Named>('select id, email from core_user where id = any($1::int[])', [plainArray(ids)]);
}

const idsOf = (lines: ImportedLine[]) => lines.flatMap(({ userId }) => userId ?? []);

/**
 * Gives lines that name somebody by id the address that person has, by which they go on as all others do.
 * @param columns those of the file, of which one says by what people are named
 * @returns what is wrong, by the number of the line: an id of nobody, or an address that is not theirs
 */
export function addressLines(lines: ImportedLine[], named: Named[], columns: string[]): Map<number, string> {
  const by = columns.includes(BY_ID) ? BY_ID : BY_AKID;
  const addresses = new Map(named.map(({ id, email }) => [id, email]));
  const wrong = new Map<number, string>();
  for (const each of lines) {
    if (each.userId === null) continue;
    const address = addresses.get(each.userId);
    if (address === undefined) wrong.set(each.line, `${by} refers to nobody.`);
    else if (each.email !== '' && lowerCase(each.email) !== lowerCase(address))
      wrong.set(each.line, `email is not the address of the user that ${by} refers to.`);
    each.email = address ?? '';
  }
  return wrong;
}
