import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Parser } from 'csv-parse';
import { InputError } from '../domain/errors.ts';

/** Lines read in a row, for as long as which everybody else waits. */
const AT_ONCE = 500;
/** A spreadsheet has 1,048,576 rows. A gigabyte of line ends, which packed is a megabyte, would be read for half an hour. */
export const MOST_EMPTY = 1_100_000;

/** Nothing stands in it: spreadsheets write a row that was emptied as separators alone. */
export const isEmpty = (cells: string[]): boolean => cells.every((cell) => cell.trim() === '');

/**
 * What a parser of CSV reads, with a pause for others now and then: a piece of a file may be tens of thousands of lines, and as long as pieces are there the parser
 * goes on with the next one by itself.
 * @throws InputError where too many are empty
 */
export async function* inTurns(parser: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  let [read, empty] = [0, 0];
  for await (const cells of parser) {
    if (++read % AT_ONCE === 0) await othersTurn();
    if (isEmpty(cells) && ++empty > MOST_EMPTY) throw new InputError({ file: `The file has more than ${MOST_EMPTY} empty lines.` });
    yield cells;
  }
}

/**
 * Has a parser that lets lines have as many cells as they like not make an error of each that has others than the first line: it makes one whole, with the stack
 * and a copy of the line, to throw it away, which takes a hundred times as long as reading the line. It compares with the length of the last line before any was counted.
 */
export function withoutErrorsOfLines(parser: Parser): Parser {
  Object.defineProperty(parser.info, 'records', { get: () => 0, set: () => {} });
  return parser;
}
