import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { againAfterDeadlock, inLongTransaction } from '../../db/transaction.ts';
import { finalReason } from '../final-reason.ts';
import { importBlock } from './import-block.ts';
import { IMPORT_LANES } from './stage-upload.ts';
import { markDied, markEnded } from './upload-status.ts';

/**
 * Imports blocks of an upload, its lanes side by side on a connection each, for as long as `goesOn` says, and ends the upload when none is left.
 * What no further try can mend ends it, too, with the reason; what is imported stays.
 * @returns whether there is more to do
 */
export async function importUpload(
  { pool, env }: { pool: Pool; env: Pick<Env, 'SECRET_KEY'> },
  uploadId: number,
  goesOn: () => boolean,
): Promise<boolean> {
  let failed = false;
  const lanes = Array.from({ length: IMPORT_LANES }, async (_, lane) => {
    try {
      const next = () => inLongTransaction(pool, (sql) => importBlock(sql, uploadId, lane, env.SECRET_KEY));
      while (!failed && goesOn() && (await againAfterDeadlock(next))) {}
    } catch (error) {
      failed = true;
      throw error;
    }
  });
  const troubles = (await Promise.allSettled(lanes)).flatMap((lane) => (lane.status === 'rejected' ? [lane.reason] : []));
  for (const trouble of troubles) {
    const reason = finalReason(trouble);
    if (reason === null) continue;
    await inLongTransaction(pool, (sql) => endUnimportable(sql, uploadId, reason));
    return false;
  }
  if (troubles.length > 0) throw troubles[0];
  return !(await inLongTransaction(pool, (sql) => endUpload(sql, uploadId)));
}

/** Ends an upload that has been stopped, or has nothing left. @returns whether it is over */
async function endUpload(sql: Sql, uploadId: number): Promise<boolean> {
  const [upload] = await sql<{ stop_requested: boolean }>(
    `select stop_requested from core_upload where id = $1 and status in ('new', 'importing')`,
    [uploadId],
  );
  if (!upload) {
    // It may be gone, with its page: its lines name people.
    await sql('delete from core_uploadblock where upload_id = $1', [uploadId]);
    return true;
  }
  // The blocks first: an attempt that is still at one of them holds it, and wants the upload's row next.
  if (upload.stop_requested) await sql('delete from core_uploadblock where upload_id = $1', [uploadId]);
  return markEnded(sql, uploadId, upload.stop_requested ? 'stopped' : 'completed');
}

/** Ends an upload whose next lines fail in the same way each time. The blocks first, as above: with their lines goes the place. */
async function endUnimportable(sql: Sql, uploadId: number, reason: string): Promise<void> {
  const [next] = await sql<{ line: number | null }>(
    `select min(substring(lines from '^\\[\\[([0-9]+)')::int) as line
     from (select distinct on (lane) lines from core_uploadblock where upload_id = $1 order by lane, nth) b`,
    [uploadId],
  );
  await sql('delete from core_uploadblock where upload_id = $1', [uploadId]);
  if (!(await markDied(sql, uploadId))) return;
  await sql('insert into core_uploaderror (upload_id, line, message) values ($1, $2, $3)', [
    uploadId,
    next?.line ?? 1,
    `The import ended at this line or one of those after it: ${reason}.`,
  ]);
}
