import type { Sql } from '../../db/sql.ts';
import { fragment, statement, tables } from '../../entities/tables.ts';
import { isUsableAddress } from '../../mail/address.ts';
import { verifyPassword } from './password.ts';

/** Who calls, and what they may do. */
export interface Account {
  id: number;
  username: string;
  isActive: boolean;
  isSuperuser: boolean;
  /** `<resource>:<read|write|delete>`, named extras, or `*`. */
  grants: ReadonlySet<string>;
}

export interface StoredAccount extends Account {
  passwordHash: string;
}

/** Of all groups an account is in. */
const grants = fragment<string[] | null>`(
  select array_agg(grants.value) from auth_user_groups m join auth_group g on g.id = m.auth_group_id
    cross join lateral jsonb_array_elements_text(g.grants) as grants(value)
  where m.auth_user_id = u.id)`;

const named = statement(({ username }: { username: string }) =>
  tables
    .selectFrom('auth_user as u')
    .where('u.username', '=', username)
    .select(['u.id', 'u.username', 'u.password', 'u.is_active', 'u.is_superuser', grants.as('grants')]),
);

/** The account of this user name, or null. */
export async function findAccount(sql: Sql, username: string): Promise<StoredAccount | null> {
  const [row] = await named(sql, { username });
  if (!row) return null;
  return {
    id: row.id,
    username: row.username,
    isActive: row.is_active,
    isSuperuser: row.is_superuser,
    grants: new Set(row.grants ?? []),
    passwordHash: row.password,
  };
}

const hashed = statement(({ id }: { id: number }) => tables.selectFrom('auth_user as u').where('u.id', '=', id).select('u.password'));

/** Whether this is the password of an account. */
export async function hasPassword(sql: Sql, id: number, password: string): Promise<boolean> {
  const [row] = await hashed(sql, { id });
  return verifyPassword(password, row?.password ?? null);
}

const address = statement(({ id }: { id: number }) => tables.selectFrom('auth_user as u').where('u.id', '=', id).select('u.email'));

/** Where an account gets mail; empty where that is not known, or nothing can be sent to. */
export async function addressOf(sql: Sql, id: number): Promise<string> {
  const [row] = await address(sql, { id });
  const email = row?.email.trim() ?? '';
  return isUsableAddress(email) ? email : '';
}
