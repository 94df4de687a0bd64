import type { Sql } from '../../db/sql.ts';

/** What was wrong with a line of a file, or where its import died. */
export interface UploadProblem {
  id: number;
  line: number;
  message: string;
}

/** Lines that could not be imported, in their order. @param after the last one of the page before */
export const uploadProblems = (sql: Sql, uploadId: number, after: UploadProblem | null, limit: number): Promise<UploadProblem[]> =>
  sql<UploadProblem>(
    `select id, line, message from core_uploaderror where upload_id = $1 and ($2::bigint is null or (line, id) > ($2, $3)) order by line, id limit $4`,
    [uploadId, after?.line ?? null, after?.id ?? null, limit],
  );
