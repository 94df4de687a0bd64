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

const MATCHES = 'select id, username, method, path, fields, status, created_at from core_auditlog';

/** What was written below paths that stand in $4 and after it. */
const below = (paths: readonly string[]) => {
  const each = paths.map(
    (_, n) => `(${MATCHES} where (path like $${n + 4} || '%' or path = rtrim($${n + 4}, '/')) and ($2::bigint is null or id < $2))`,
  );
  return `select * from (${each.join(' union all ')}) b order by id desc limit $3`;
};

/**
 * Writes whose answers alone name the person: that made them, erased them, or had others merged into them. The log is found by path
 * and time: when each was is known by what it left behind, and its answer is written down some seconds later, by another clock.
 * Each is looked for by itself: as a join the planner reads the whole log wherever it takes paths to be common.
 */
const ELSEWHERE = `
  select distinct on (a.id) a.*
  from (select '/rest/v1/user' as path, '/rest/v1/user/' || id || '/' as location, created_at as at from core_user where id = $1
    union all select '/rest/v1/eraser', '/rest/v1/user/' || user_id || '/', created_at from core_erasure where user_id = $1
    union all select '/rest/v1/usermerge', '/rest/v1/usermerge/' || id || '/', created_at from core_usermerge where primary_user = $1) left_behind,
  lateral (
    ${MATCHES} where path in (left_behind.path, left_behind.path || '/') and location = left_behind.location
      and created_at between at - interval '1 minute' and at + interval '5 minutes' and ($2::bigint is null or id < $2)
    order by created_at desc limit $3) a
  order by a.id desc limit $3`;

/**
 * What accounts wrote about a person, over the API and in the console; the newest first, at most `before.limit` of each kind. It is
 * one statement: of two, the one would see what the other had not, and the page would lack lines older than some it shows.
 * @param paths of the person, each with a slash at its end
 */
export const changesOfPerson = (sql: Sql, id: number, paths: readonly string[], { before, limit }: Before): Promise<PersonChange[]> =>
  sql<PersonChange>(
    `select id::float8, username, method, path, fields, status, ${timestampSql('created_at')} as created_at
     from ((${below(paths)}) union all (${ELSEWHERE})) c order by c.id desc`,
    [id, before, limit, ...paths],
  );
