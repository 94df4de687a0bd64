import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import { type ReportFiles, ResultRemovedError } from './report-files.ts';

const CHUNK_BYTES = 256 * 1024;

/** Results in the database, in pieces, where every API and every worker finds them, whatever machine it is on. */
export function storedReportFiles(pool: Pool): ReportFiles {
  const remove = async (name: string): Promise<void> => {
    await pool.query('delete from report_file where name = $1', [name]);
  };
  return {
    async draft(name, content) {
      const draft = `${name}.${randomUUID()}.part`;
      const drop = () => remove(draft);
      const keep = async (sql: Sql) => {
        await sql('delete from report_file where name = $1', [name]);
        const named = await sql('update report_file set name = $2, written_at = now() where name = $1 returning id', [draft, name]);
        if (named.length === 0) throw new Error('a result was removed before it was kept');
      };
      try {
        return { bytes: await writeChunks(pool, draft, content), keep, drop };
      } catch (error) {
        await drop().catch(() => {});
        throw error;
      }
    },
    async read(name) {
      const { rows } = await pool.query<{ id: number; bytes: number }>(
        `select id, (select coalesce(sum(length(content)), 0) from report_filechunk c where c.file_id = f.id)::float8 as bytes
         from report_file f where name = $1`,
        [name],
      );
      return rows[0] ? { content: Readable.from(readChunks(pool, rows[0])), bytes: rows[0].bytes } : null;
    },
    remove,
    async list() {
      const { rows } = await pool.query<{ name: string; writtenAt: Date }>('select name, written_at as "writtenAt" from report_file');
      return rows;
    },
  };
}

async function writeChunks(pool: Pool, name: string, content: Readable): Promise<number> {
  const { rows } = await pool.query<{ id: number }>('insert into report_file (name) values ($1) returning id', [name]);
  let [bytes, nth] = [0, 0];
  const write = async (chunk: Buffer) => {
    await pool.query({
      name: 'write-report-chunk',
      text: 'insert into report_filechunk (file_id, nth, content) values ($1, $2, $3)',
      values: [rows[0]!.id, nth++, chunk],
    });
    bytes += chunk.length;
  };
  let held: Buffer[] = [];
  let length = 0;
  for await (const part of content) {
    const piece = Buffer.from(part);
    held.push(piece);
    length += piece.length;
    if (length < CHUNK_BYTES) continue;
    await write(Buffer.concat(held));
    [held, length] = [[], 0];
  }
  if (length > 0) await write(Buffer.concat(held));
  return bytes;
}

async function* readChunks(pool: Pool, { id, bytes }: { id: number; bytes: number }): AsyncGenerator<Buffer> {
  for (let [nth, left] = [0, bytes]; left > 0; nth++) {
    const { rows } = await pool.query<{ content: Buffer }>({
      name: 'read-report-chunk',
      text: 'select content from report_filechunk where file_id = $1 and nth = $2',
      values: [id, nth],
    });
    if (!rows[0]) throw new ResultRemovedError('the result was removed while it was read');
    left -= rows[0].content.length;
    yield rows[0].content;
  }
}
