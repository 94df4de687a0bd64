import type { Sql } from '../../db/sql.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';

// The one place that writes how far an upload is: new, importing, and once completed, stopped or died.

const UNDER_WAY = `status in ('new', 'importing')`;

/** Lines that are done, in the transaction that imported them. */
export async function countImported(sql: Sql, uploadId: number, lines: number, errors: number): Promise<void> {
  await sql(
    `update core_upload set status = case status when 'new' then 'importing' else status end, started_at = coalesce(started_at, now()),
       progress = progress + $2, error_count = error_count + $3, updated_at = now()
     where id = $1 and ${UNDER_WAY}`,
    [uploadId, lines, errors],
  );
}

/** Has an import end after the lines it is at. @throws NotFoundError, InputError when it is over */
export async function stopUpload(sql: Sql, id: number): Promise<void> {
  const [upload] = await sql<{ stoppable: boolean }>(
    `update core_upload set stop_requested = stop_requested or ${UNDER_WAY} where id = $1 returning ${UNDER_WAY} as stoppable`,
    [id],
  );
  if (!upload) throw new NotFoundError();
  if (!upload.stoppable) throw new InputError({ status: 'This import is over.' });
}

/** Ends an upload that has no lines left. @returns whether it is over by that */
export async function markEnded(sql: Sql, uploadId: number, outcome: 'completed' | 'stopped'): Promise<boolean> {
  const ended = await sql(
    `update core_upload set status = $2, finished_at = now(), updated_at = now()
     where id = $1 and ${UNDER_WAY} and not exists (select from core_uploadblock where upload_id = $1) returning id`,
    [uploadId, outcome],
  );
  return ended.length > 0;
}

/** Ends an upload whose lines cannot be imported. None of them is done, nor counted among the errors of those that are. @returns whether it was under way */
export async function markDied(sql: Sql, uploadId: number): Promise<boolean> {
  const ended = await sql(
    `update core_upload set status = 'died', finished_at = now(), updated_at = now()
     where id = $1 and ${UNDER_WAY} returning id`,
    [uploadId],
  );
  return ended.length > 0;
}
