import type { Pool } from '../../db/driver.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';

/** How far a rebuild is, as its poll document shows it. */
export interface RebuildState {
  finished: boolean;
  success: boolean;
  started_at: string | null;
  finished_at: string | null;
  results: number | null;
  errors: string[];
  /** Where a fast one was asked for and there is a set: whether only those who had changed were looked at. */
  fast?: boolean;
}

export async function readRebuild(pool: Pool, mailingId: number, jobId: number): Promise<RebuildState | null> {
  const { rows } = await pool.query<RebuildState & { asked: boolean; was_fast: boolean | null }>(
    `select finished, success, ${timestampSql('started_at')} as started_at, ${timestampSql('finished_at')} as finished_at, results, errors, fast as asked, was_fast
     from core_mailingrebuild where mailing_id = $1 and id = $2`,
    [mailingId, jobId],
  );
  if (!rows[0]) return null;
  const { asked, was_fast: fast, ...state } = rows[0];
  return asked && fast !== null ? { ...state, fast } : state;
}
