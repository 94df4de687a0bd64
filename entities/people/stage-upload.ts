import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { InputError } from '../../domain/errors.ts';
import { readHeader } from '../../domain/people/import-line.ts';

/** Characters handed to the server at a time. */
const CHUNK = 64 * 1024;

export interface Staged {
  columns: string[];
  lines: number;
}

/**
 * Streams a CSV file into the staging table by COPY, in the transaction the client is in. Memory does not grow with the file.
 * @throws InputError for a file that is no CSV or has a header that cannot be used
 */
export async function stageUpload(client: pg.PoolClient, uploadId: number, file: Readable): Promise<Staged> {
  const staged: Staged = { columns: [], lines: 0 };
  const parser = parse({ bom: true, relax_column_count: true, skip_empty_lines: true, max_record_size: 1_000_000 });
  const copy = client.query(copyFrom('copy core_uploadrow (upload_id, line, cells) from stdin'));
  async function* rows(records: AsyncIterable<string[]>): AsyncGenerator<string> {
    let chunk = '';
    for await (const cells of records) {
      if (staged.columns.length === 0) {
        staged.columns = readHeader(cells);
        continue;
      }
      // Lines count from the header, which is line 1, as a reader of the file sees them.
      chunk += `${uploadId}\t${++staged.lines + 1}\t${copyText(arrayText(cells))}\n`;
      if (chunk.length < CHUNK) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  }
  try {
    await pipeline(file, parser, rows as never, copy);
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    if (code.startsWith('CSV_')) throw new InputError({ file: `The file is no CSV: ${message.slice(0, 200)}` });
    if (code.startsWith('22')) throw new InputError({ file: 'The file holds characters that cannot be stored.' });
    throw error;
  }
  if (staged.columns.length === 0) throw new InputError({ file: 'The file is empty.' });
  return staged;
}

const arrayText = (cells: string[]): string => `{${cells.map((cell) => `"${cell.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const copyText = (text: string): string => text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character]!);
