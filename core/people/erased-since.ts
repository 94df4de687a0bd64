import type { Sql } from '../../db/sql.ts';
import { erasedEmailHash } from './erase.ts';

/**
 * Of addresses in a file: whether that of somebody who was erased after the file had come. Whoever comes back by themselves since has a row; who has none is not
 * brought back by what was written down before they went.
 * @param uploadId of a file that is being imported
 */
export async function erasedSince(sql: Sql, uploadId: number, secret: string): Promise<(email: string) => boolean> {
  const rows = await sql<{ email_hash: string }>(
    `select email_hash from core_erasure where status = 'complete' and updated_at >= (select created_at from core_upload where id = $1)`,
    [uploadId],
  );
  const hashes = new Set(rows.map(({ email_hash: hash }) => hash));
  return (email) => hashes.size > 0 && hashes.has(erasedEmailHash(secret, email));
}
