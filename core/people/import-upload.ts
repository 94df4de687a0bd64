import type { Pool } from '../../db/driver.ts';
import { inOneTransaction, type Sql } from '../../db/sql.ts';
import { importBlock } from './import-block.ts';
import { IMPORT_LANES } from './stage-upload.ts';

/**
 * Imports blocks of an upload, its lanes side by side on a connection each, for as long as `goesOn` says, and ends the upload when none is left.
 * @returns whether there is more to do
 */
export async function importUpload(pool: Pool, uploadId: number, goesOn: () => boolean): Promise<boolean> {
  let failed = false;
  const lanes = Array.from({ length: IMPORT_LANES }, async (_, lane) => {
    try {
      while (!failed && goesOn() && (await inOneTransaction(pool, (sql) => importBlock(sql, uploadId, lane)))) {}
    } catch (error) {
      failed = true;
      throw error;
    }
  });
  for (const { reason } of (await Promise.allSettled(lanes)) as { reason?: Error }[]) if (reason) throw reason;
  return !(await inOneTransaction(pool, (sql) => endUpload(sql, uploadId)));
}

/** Ends an upload that has been stopped, or has nothing left. @returns whether it is over */
export async function endUpload(sql: Sql, uploadId: number): Promise<boolean> {
  const [upload] = await sql<{ stop_requested: boolean }>(
    `select stop_requested from core_upload where id = $1 and status in ('new', 'importing')`,
    [uploadId],
  );
  if (!upload) return true;
  // The blocks first: an attempt that is still at one of them holds it, and wants the upload's row next.
  if (upload.stop_requested) await sql('delete from core_uploadblock where upload_id = $1', [uploadId]);
  const ended = await sql(
    `update core_upload set status = $2, finished_at = now(), updated_at = now()
     where id = $1 and status in ('new', 'importing') and not exists (select from core_uploadblock where upload_id = $1) returning id`,
    [uploadId, upload.stop_requested ? 'stopped' : 'completed'],
  );
  return ended.length > 0;
}
