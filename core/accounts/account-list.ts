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

/** More are not shown: whoever has more finds them over the API. */
export const MOST_ACCOUNTS = 1000;

const COLUMNS = `u.id, u.username, u.first_name, u.last_name, u.email, u.is_staff, u.is_active, u.is_superuser,
  ${timestampSql('u.last_login')} as last_login, ${timestampSql('u.date_joined')} as date_joined,
  array(select m.auth_group_id from auth_user_groups m where m.auth_user_id = u.id order by 1) as groups`;

/** Those that are on first, then by name. */
export const accounts = (sql: Sql): Promise<AccountSummary[]> =>
  sql<AccountSummary>(`select ${COLUMNS} from auth_user u order by u.is_active desc, u.username limit ${MOST_ACCOUNTS}`);

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

export const groups = (sql: Sql): Promise<GroupSummary[]> => sql<GroupSummary>(`${GROUPS} order by g.name limit ${MOST_ACCOUNTS}`);

/** Null where there is none. */
export async function groupSummary(sql: Sql, id: number): Promise<GroupSummary | null> {
  const [row] = await sql<GroupSummary>(`${GROUPS} where g.id = $1`, [id]);
  return row ?? null;
}
