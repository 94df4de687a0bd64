import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { JobStatus } from '../../domain/words.ts';

/** A merge or an erasure of a person, of the last day. */
export interface PersonJob {
  kind: 'merge' | 'erasure';
  id: number;
  status: JobStatus;
  /** How many were merged into them. */
  merged: number;
  errors: string[];
  created_at: string;
}

/** The newest first. Of merges, those in which the person is the one who stays. */
export const jobsOf = (sql: Sql, userId: number): Promise<PersonJob[]> =>
  sql<PersonJob>(
    `select kind, id, status, merged, errors, ${timestampSql('created_at')} as created_at from (
       select 'merge' as kind, id, status, jsonb_array_length(users) as merged, errors, created_at from core_usermerge where primary_user = $1
       union all select 'erasure', id, status, 0, errors, created_at from core_erasure where user_id = $1) j
     where j.created_at > now() - interval '1 day' order by j.created_at desc limit 3`,
    [userId],
  );
