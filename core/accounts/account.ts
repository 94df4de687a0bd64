import type { Sql } from '../../db/sql.ts';

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

interface Row {
  id: number;
  username: string;
  password: string;
  is_active: boolean;
  is_superuser: boolean;
  grants: string[] | null;
}

const SELECT = `
  select u.id, u.username, u.password, u.is_active, u.is_superuser,
    (select array_agg(grants.value) from auth_user_groups m join auth_group g on g.id = m.auth_group_id
       cross join lateral jsonb_array_elements_text(g.grants) as grants(value)
      where m.auth_user_id = u.id) as grants
  from auth_user u where u.username = $1`;

/** The account of this user name, or null. */
export async function findAccount(sql: Sql, username: string): Promise<StoredAccount | null> {
  const [row] = await sql<Row>(SELECT, [username]);
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
