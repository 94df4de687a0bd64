import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { Before } from './person-record.ts';

/** A change an account made to a person. */
export interface PersonChange {
  id: number;
  username: string;
  method: string;
  path: string;
  fields: string[];
  status: number;
  created_at: string;
}

const CHANGES = 'select id, username, method, path, fields, status, created_at from core_auditlog';

const changesBelow = (sql: Sql, paths: readonly string[], { before, limit }: Before): Promise<PersonChange[]> =>
  sql<PersonChange>(
    `select id::int, username, method, path, fields, status, ${timestampSql('created_at')} as created_at
     from (${paths.map((_, n) => `(${CHANGES} where (path like $${n + 3} || '%' or path = rtrim($${n + 3}, '/')) and ($1::bigint is null or id < $1))`).join(' union all ')}) c
     order by c.id desc limit $2`,
    [before, limit, ...paths],
  );

/**
 * Writes whose answers alone name the person: that made them, erased them, or had others merged into them. The log is found by path
 * and time: when each was is known by what it left behind, and its answer is written down some seconds later, by another clock.
 * Each is looked for by itself: as a join the planner reads the whole log wherever it takes paths to be common.
 */
const changesElsewhere = (sql: Sql, id: number, { before, limit }: Before): Promise<PersonChange[]> =>
  sql<PersonChange>(
    `with left_behind (path, location, at) as (
       select '/rest/v1/user', '/rest/v1/user/' || id || '/', created_at from core_user where id = $1
       union all select '/rest/v1/eraser', '/rest/v1/user/' || user_id || '/', created_at from core_erasure where user_id = $1
       union all select '/rest/v1/usermerge', '/rest/v1/usermerge/' || id || '/', created_at from core_usermerge where primary_user = $1)
     select distinct on (a.id) a.id::float8, a.username, a.method, a.path, a.fields, a.status, ${timestampSql('a.created_at')} as created_at
     from left_behind l, lateral (
       select * from core_auditlog a where a.path in (l.path, l.path || '/') and a.location = l.location
         and a.created_at between l.at - interval '1 minute' and l.at + interval '5 minutes' and ($2::bigint is null or a.id < $2)
       order by a.created_at desc limit $3) a
     order by a.id desc limit $3`,
    [id, before, limit],
  );

/**
 * What accounts wrote about a person, over the API and in the console; the newest first, at most `before.limit` of each kind.
 * @param paths of the person, each with a slash at its end
 */
export async function changesOfPerson(sql: Sql, id: number, paths: readonly string[], before: Before): Promise<PersonChange[]> {
  const found = await Promise.all([changesBelow(sql, paths, before), changesElsewhere(sql, id, before)]);
  return found.flat().sort((one, other) => other.id - one.id);
}
