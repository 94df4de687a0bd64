import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Pool } from '../../db/driver.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { refuseTooMany } from '../../domain/people/import-line.ts';
import { isEmpty } from '../csv-records.ts';
import { csvLines } from './csv-lines.ts';

// Files somebody at the console is about to import: kept in the database, so that each step may come to another process, and for a day at most.

export interface UploadDraft {
  id: number;
  filename: string;
  /** What each column is; none as long as nobody has said. */
  columns: string[];
  page_id: number | null;
  autocreate_user_fields: boolean;
}

/** Bytes in one piece. */
const PIECE = 512 * 1024;
/** Bytes that are read without a break: whatever looks at them holds up everybody else for so long. */
const SLICE = 32 * 1024;

/** The first lines of a file, which are shown where somebody says what is in it: that of its header, and some below. */
export const HEAD_LINES = 5;

/** Takes a file in, and looks whether it is one of lines. @returns the id of the draft. @throws InputError */
export function keepDraft(pool: Pool, accountId: number, filename: string, content: () => Readable): Promise<number> {
  return inOneTransaction(pool, async (sql) => {
    const [header] = await headOf(content(), HEAD_LINES);
    refuseTooMany(header!);
    const [draft] = await sql<{ id: number }>('insert into core_uploaddraft (account_id, filename) values ($1, $2) returning id', [
      accountId,
      filename.slice(0, 255).toWellFormed().replaceAll('\0', ''),
    ]);
    let [nth, held, length] = [0, [] as Buffer[], 0];
    const keep = async () => {
      if (length > 0) await sql('insert into core_uploaddraftpart values ($1, $2, $3)', [draft!.id, nth++, Buffer.concat(held)]);
      [held, length] = [[], 0];
    };
    for await (const bytes of content() as AsyncIterable<Buffer>) {
      held.push(bytes);
      length += bytes.length;
      if (length >= PIECE) await keep();
    }
    await keep();
    return draft!.id;
  });
}

/** A draft of this account's. @throws NotFoundError */
export async function readDraft(sql: Sql, id: number, accountId: number): Promise<UploadDraft> {
  const [draft] = await sql<UploadDraft>(
    'select id, filename, columns, page_id, autocreate_user_fields from core_uploaddraft where id = $1 and account_id = $2',
    [id, accountId],
  );
  if (!draft) throw new NotFoundError();
  return draft;
}

/** What somebody says of a draft. */
export async function describeDraft(
  sql: Sql,
  { id, columns, page_id, autocreate_user_fields }: Omit<UploadDraft, 'filename'>,
): Promise<void> {
  await sql('update core_uploaddraft set columns = $2::jsonb, page_id = $3, autocreate_user_fields = $4 where id = $1', [
    id,
    JSON.stringify(columns),
    page_id,
    autocreate_user_fields,
  ]);
}

/** @throws NotFoundError when it is gone already */
export async function dropDraft(sql: Sql, id: number): Promise<void> {
  const [dropped] = await sql('delete from core_uploaddraft where id = $1 returning id', [id]);
  if (!dropped) throw new NotFoundError();
}

/** The file of a draft, from its beginning. */
export function contentOf(pool: Pool, id: number): Readable {
  const sql = sqlOn(pool);
  async function* pieces() {
    for (let nth = 0; ; nth++) {
      const [part] = await sql<{ content: Buffer }>('select content from core_uploaddraftpart where draft_id = $1 and nth = $2', [id, nth]);
      if (!part) return;
      for (let at = 0; at < part.content.length; at += SLICE) {
        yield part.content.subarray(at, at + SLICE);
        await turn();
      }
    }
  }
  return Readable.from(pieces(), { objectMode: false });
}

/** The first lines of a file that are not empty, that of its header among them. @throws InputError for a file that cannot be read, or is empty */
export async function headOf(file: Readable, lines: number): Promise<string[][]> {
  const head: string[][] = [];
  for await (const cells of csvLines(file)) if (!isEmpty(cells) && head.push(cells) === lines) break;
  if (head.length === 0) throw new InputError({ file: 'The file is empty.' });
  return head;
}
