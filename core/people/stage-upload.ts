import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { copyFrom, type PoolClient } from '../../db/driver.ts';
import { InputError, PermissionError } from '../../domain/errors.ts';
import {
  type AddressOf,
  BY_AKID,
  type ImportedLine,
  type PersonOf,
  readHeader,
  readLine,
  withIds,
} from '../../domain/people/import-line.ts';
import { lowerCase } from '../../domain/people/lower-case.ts';
import { CountedCells } from '../csv-cells.ts';
import { inTurns, isEmpty } from '../csv-records.ts';
import { separated } from '../csv-separator.ts';
import { csvProblem, LONGEST_RECORD, newCsvParser, unstorable } from './csv-lines.ts';

/** Blocks that are imported side by side. */
export const IMPORT_LANES = 4;
/** Lines in one block: enough for set-wise statements to pay, few enough that nobody waits long for a user's row. */
export const BLOCK_LINES = 2_000;
/** Characters in one block, so that memory does not depend on how long lines are. */
const BLOCK_LENGTH = LONGEST_RECORD;

export interface Staged {
  columns: string[];
  lines: number;
}

/**
 * Streams a CSV file into the staging table by COPY, in the transaction the client is in. Memory does not grow with the file.
 * @param addressOf the address that a text is kept as; null where it cannot be mailed
 * @param chosen what each column is, where the file's own first line does not say it
 * @param personOf whom akids name; without, a file that has some is refused
 * @throws InputError for a file that is no CSV or has a header that cannot be used, PermissionError
 */
export async function stageUpload(
  client: PoolClient,
  uploadId: number,
  file: Readable,
  addressOf: AddressOf,
  chosen: readonly string[] | null = null,
  personOf: PersonOf | null = null,
): Promise<Staged> {
  const staged: Staged = { columns: [], lines: 0 };
  const { separator, content } = await separated(file, LONGEST_RECORD);
  const parser = newCsvParser(separator);
  const copy = client.query(copyFrom('copy core_uploadblock (upload_id, lane, nth, lines) from stdin'));
  async function* blocks(records: AsyncIterable<string[]>): AsyncGenerator<string> {
    const lanes = Array.from({ length: IMPORT_LANES }, (_, lane) => new Lane(uploadId, lane));
    // A file of less than one block is imported in its order, and so are the numbers of those who are new.
    let whole: Lane | null = new Lane(uploadId, 0);
    // Lines count as a reader of the file sees them: the header and empty ones, too.
    let line = 0;
    for await (const record of inTurns(records)) {
      line++;
      if (isEmpty(record)) continue;
      if (staged.columns.length === 0) {
        staged.columns = chosen ? [...chosen] : readHeader(record);
        if (!personOf && staged.columns.includes(BY_AKID)) throw new PermissionError('user:read');
        continue;
      }
      staged.lines++;
      const cells = personOf ? withIds(staged.columns, record, personOf) : record;
      if (cells.some((cell) => cell.includes('\0'))) throw unstorable(line);
      const json = JSON.stringify([line, ...cells]);
      const lane = lanes[laneOf(readLine(staged.columns, cells, line, addressOf))]!;
      lane.add(json);
      whole?.add(json);
      if (whole?.isFull) whole = null;
      if (lane.isFull) yield lane.block();
    }
    for (const lane of whole ? [whole] : lanes) if (!lane.isEmpty) yield lane.block();
  }
  try {
    await pipeline(content, new CountedCells(separator), parser, blocks as never, copy);
  } catch (error) {
    const problem = csvProblem(error, parser);
    if (problem) throw problem;
    if ((error as { code?: string }).code?.startsWith('22')) throw unstorable();
    throw error;
  }
  if (staged.columns.length === 0) throw new InputError({ file: 'The file is empty.' });
  return staged;
}

/** Lines on their way into the staging table, a block at a time. */
class Lane {
  private nth = 0;
  private lines: string[] = [];
  private length = 0;
  private readonly uploadId: number;
  private readonly number: number;

  constructor(uploadId: number, number: number) {
    this.uploadId = uploadId;
    this.number = number;
  }

  get isEmpty(): boolean {
    return this.lines.length === 0;
  }

  get isFull(): boolean {
    return this.lines.length >= BLOCK_LINES || this.length >= BLOCK_LENGTH;
  }

  add(json: string): void {
    this.lines.push(json);
    this.length += json.length;
  }

  /** @returns what is in it as a row of COPY; it is empty then */
  block(): string {
    const lines = `[${this.lines.join(',')}]`.replaceAll('\\', '\\\\');
    this.lines = [];
    this.length = 0;
    return `${this.uploadId}\t${this.number}\t${this.nth++}\t${lines}\n`;
  }
}

/** Lines of one person, named by the same address or id, go the same way, so that they are imported in their order; so do those that cannot be imported. */
function laneOf(read: ImportedLine | string): number {
  if (typeof read === 'string') return 0;
  if (read.email === '') return read.userId! % IMPORT_LANES;
  let hash = 0;
  for (const character of lowerCase(read.email)) hash = (hash * 31 + character.codePointAt(0)!) % 65_521;
  return hash % IMPORT_LANES;
}
