import { pipeline, type Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import { InputError } from '../../domain/errors.ts';
import { CountedCells } from '../csv-cells.ts';
import { inTurns, withoutErrorsOfLines } from '../csv-records.ts';
import { separated } from '../csv-separator.ts';

/** Said: finding out by looking makes three buffers for every character of the first line. */
const LINE_ENDS = ['\r\n', '\n', '\r'];
/** Characters in one line. */
export const LONGEST_RECORD = 1_000_000;

/** Reads files of people. Lines may have too many cells or too few: that is said of each. Empty ones are read, too, since they count where a line is. */
export const newCsvParser = (delimiter: string): Parser =>
  withoutErrorsOfLines(
    parse({ delimiter, record_delimiter: LINE_ENDS, bom: true, relax_column_count: true, max_record_size: LONGEST_RECORD }),
  );

/** What is said of a file the parser cannot read; null for an error of something else. */
export const csvProblem = (error: unknown, parser: Parser): InputError | null =>
  error instanceof CsvError
    ? new InputError({ file: `The file is no CSV: ${error.code.toLowerCase().replaceAll('_', ' ')} in line ${parser.info.lines}` })
    : null;

/** @param line in which a NUL character is: a file in UTF-16 that does not say so is full of them */
export const unstorable = (line?: number) =>
  new InputError({
    file: `The file holds characters that cannot be stored${line === undefined ? '.' : ` (NUL), first in line ${line}: save it as CSV in UTF-8.`}`,
  });

/** The lines of a file, the first and empty ones among them. Whoever stops early leaves the rest unread. @throws InputError for a file that cannot be read */
export async function* csvLines(file: Readable): AsyncGenerator<string[]> {
  const { separator, content } = await separated(file, LONGEST_RECORD);
  const parser = newCsvParser(separator);
  // Errors of each come out of the parser below.
  pipeline(content, new CountedCells(separator), parser, () => {});
  let line = 0;
  try {
    for await (const cells of inTurns(parser)) {
      line++;
      if (cells.some((cell) => cell.includes('\0'))) throw unstorable(line);
      yield cells;
    }
  } catch (error) {
    throw csvProblem(error, parser) ?? error;
  }
}
