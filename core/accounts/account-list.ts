import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';

/** An account, as superusers see it. */
export interface AccountSummary {
  id: number;
  username: string;
  first_name: string;
  last_name: string;
  email: string;
  is_staff: boolean;
  is_active: boolean;
  is_superuser: boolean;
  last_login: string | null;
  date_joined: string;
  /** Ids of its groups. */
  groups: number[];
}

const COLUMNS = `u.id, u.username, u.first_name, u.last_name, u.email, u.is_staff, u.is_active, u.is_superuser,
  ${timestampSql('u.last_login')} as last_login, ${timestampSql('u.date_joined')} as date_joined,
  array(select m.auth_group_id from auth_user_groups m where m.auth_user_id = u.id order by 1) as groups`;

/**
 * A page of them, those that are on first, then by name.
 * @param after the id of the last one of the page before; where that is gone it is the first page
 */
export const accounts = (sql: Sql, { after, limit }: { after: number | null; limit: number }): Promise<AccountSummary[]> =>
  sql<AccountSummary>(
    `select ${COLUMNS} from auth_user u
     where coalesce((not u.is_active, u.username) > (select not is_active, username from auth_user where id = $1::int), true)
     order by not u.is_active, u.username limit $2`,
    [after, limit],
  );

/** How many there are, and how many of them are on. */
export async function countAccounts(sql: Sql): Promise<{ all: number; on: number }> {
  const [row] = await sql<{ all: number; on: number }>(
    'select count(*)::int as "all", count(*) filter (where is_active)::int as "on" from auth_user',
  );
  return row!;
}

/** Null where there is none. */
export async function accountSummary(sql: Sql, id: number): Promise<AccountSummary | null> {
  const [row] = await sql<AccountSummary>(`select ${COLUMNS} from auth_user u where u.id = $1`, [id]);
  return row ?? null;
}

/** A named set of grants, and how many accounts have it. */
export interface GroupSummary {
  id: number;
  name: string;
  grants: string[];
  members: number;
}

const GROUPS = `select g.id, g.name, g.grants, (select count(*)::int from auth_user_groups m where m.auth_group_id = g.id) as members from auth_group g`;

/** All of them: the form of an account offers each, and takes away what it does not offer. */
export const groups = (sql: Sql): Promise<GroupSummary[]> => sql<GroupSummary>(`${GROUPS} order by g.name`);

/** Null where there is none. */
export async function groupSummary(sql: Sql, id: number): Promise<GroupSummary | null> {
  const [row] = await sql<GroupSummary>(`${GROUPS} where g.id = $1`, [id]);
  return row ?? null;
}
