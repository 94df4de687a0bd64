import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { copyFrom, type PoolClient } from '../../db/driver.ts';
import { InputError } from '../../domain/errors.ts';
import { type ImportedLine, readHeader, readLine } from '../../domain/people/import-line.ts';
import { csvProblem, LONGEST_RECORD, newCsvParser, unstorable } from './csv-lines.ts';

/** Blocks that are imported side by side. */
export const IMPORT_LANES = 4;
/** Lines in one block: enough for set-wise statements to pay, few enough that nobody waits long for a user's row. */
const BLOCK_LINES = 2_000;
/** Characters in one block, so that memory does not depend on how long lines are. */
const BLOCK_LENGTH = LONGEST_RECORD;

export interface Staged {
  columns: string[];
  lines: number;
}

/**
 * Streams a CSV file into the staging table by COPY, in the transaction the client is in. Memory does not grow with the file.
 * @param isAddress whether a text can be mailed
 * @param chosen what each column is, where the file's own first line does not say it
 * @throws InputError for a file that is no CSV or has a header that cannot be used
 */
export async function stageUpload(
  client: PoolClient,
  uploadId: number,
  file: Readable,
  isAddress: (text: string) => boolean,
  chosen: readonly string[] | null = null,
): Promise<Staged> {
  const staged: Staged = { columns: [], lines: 0 };
  const parser = newCsvParser();
  const copy = client.query(copyFrom('copy core_uploadblock (upload_id, lane, nth, lines) from stdin'));
  async function* blocks(records: AsyncIterable<string[]>): AsyncGenerator<string> {
    const lanes = Array.from({ length: IMPORT_LANES }, (_, lane) => ({ lane, nth: 0, lines: [] as string[], length: 0 }));
    const block = (of: (typeof lanes)[number]) => {
      const row = `${uploadId}\t${of.lane}\t${of.nth++}\t${`[${of.lines.join(',')}]`.replaceAll('\\', '\\\\')}\n`;
      Object.assign(of, { lines: [], length: 0 });
      return row;
    };
    for await (const cells of records) {
      if (staged.columns.length === 0) {
        staged.columns = chosen ? [...chosen] : readHeader(cells);
        continue;
      }
      // Lines count from the header, which is line 1, as a reader of the file sees them.
      const line = ++staged.lines + 1;
      if (cells.some((cell) => cell.includes('\0'))) throw unstorable();
      const json = JSON.stringify([line, ...cells]);
      const lane = lanes[laneOf(readLine(staged.columns, cells, line, isAddress))]!;
      lane.lines.push(json);
      lane.length += json.length;
      if (lane.lines.length === BLOCK_LINES || lane.length >= BLOCK_LENGTH) yield block(lane);
    }
    for (const lane of lanes) if (lane.lines.length > 0) yield block(lane);
  }
  try {
    await pipeline(file, parser, blocks as never, copy);
  } catch (error) {
    const problem = csvProblem(error, parser);
    if (problem) throw problem;
    if ((error as { code?: string }).code?.startsWith('22')) throw unstorable();
    throw error;
  }
  if (staged.columns.length === 0) throw new InputError({ file: 'The file is empty.' });
  return staged;
}

/** Lines of one person go the same way, so that they are imported in their order; so do those that cannot be imported. */
function laneOf(read: ImportedLine | string): number {
  if (typeof read === 'string') return 0;
  let hash = 0;
  for (const character of read.email.toLowerCase()) hash = (hash * 31 + character.codePointAt(0)!) % 65_521;
  return hash % IMPORT_LANES;
}
