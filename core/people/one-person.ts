import type { Sql } from '../../db/sql.ts';
import { isEmptiedAddress } from './emptied-address.ts';
import { ERASED } from './erased.ts';

// One person, found or made by what was sent about them: by an action on a page and by a push. Uploads do the same set-wise (import-people.ts).

/** A person whose row is held until the transaction ends. */
export interface HeldPerson {
  id: number;
  /** Before anything is written. */
  zip: string;
  source: string;
}

/** @returns null when there is nobody with this id, or this address; what was left in place of an erased one's address is nobody's */
export async function holdPerson(sql: Sql, who: { id: number } | { email: string }): Promise<HeldPerson | null> {
  const [person] =
    'id' in who
      ? await sql<HeldPerson>('select id, zip, source from core_user where id = $1 for no key update', [who.id])
      : await sql<HeldPerson>(
          `select id, zip, source from core_user u where lower(email) = lower($1) and not ${ERASED} for no key update of u`,
          [who.email],
        );
  return person ?? null;
}

/**
 * Two requests that make one new address at once make one person: the index on lower(email) decides, not a look before.
 * @param columns of core_user, `email` among them; names are not to come from a request
 * @returns its id; null when somebody has the address, or nobody can: it is what stands in place of an erased one's
 */
export async function makePerson(sql: Sql, columns: Readonly<Record<string, unknown>>): Promise<number | null> {
  if (isEmptiedAddress(String(columns['email']))) return null;
  const names = Object.keys(columns);
  const [made] = await sql<{ id: number }>(
    `insert into core_user (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})
     on conflict (lower(email)) do nothing returning id`,
    Object.values(columns),
    true,
  );
  return made?.id ?? null;
}

/** Only what differs is written: what brings nothing new leaves updated_at alone. @param columns of core_user; names are not to come from a request */
export async function updatePerson(sql: Sql, id: number, columns: Readonly<Record<string, unknown>>): Promise<void> {
  const names = Object.keys(columns);
  if (names.length === 0) return;
  const changes = names.map((column, index) => `${column} = $${index + 2}`);
  const differs = names.map((column, index) => `${column} is distinct from $${index + 2}`);
  const text = `update core_user set ${changes.join(', ')}, updated_at = now() where id = $1 and (${differs.join(' or ')})`;
  await sql(text, [id, ...Object.values(columns)], true);
}
