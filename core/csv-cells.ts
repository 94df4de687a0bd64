import { Transform, type TransformCallback } from 'node:stream';
import { TextDecoder } from 'node:util';
import { InputError } from '../domain/errors.ts';
import { lineNotInUtf8 } from './not-utf8.ts';

/** Cells in one line of a CSV file: as many as a line of a million characters has with something in each. */
export const MOST_CELLS = 500_000;

const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];
/** How files in UTF-16 begin, which the parser knows by it; nothing in UTF-8 has this byte. */
const UTF_16 = 0xff;
/** No character of UTF-8 has more bytes. */
const LONGEST_CHARACTER = 4;

/**
 * Stands before the parser of a CSV file and lets it through as it is. The parser bounds what stands in a line's cells and not how many there are: of a line of
 * nothing but commas it makes a list of millions, for which everybody else waits. And it reads what is not UTF-8 all the same, with a `�` for each letter it does
 * not know: of a file in Latin-1 everybody's name would be spoilt. Fails with an InputError under `file` instead.
 */
export class CountedCells extends Transform {
  #text: TextDecoder | null = new TextDecoder('utf-8', { fatal: true });
  #begun = false;
  #quoted = false;
  #cells = 1;
  #line = 1;
  #last = 0;
  /** The end of what was read: the first bytes of a character may be in it. */
  #end = Buffer.alloc(0);
  readonly #separator: number;

  /** @param separator what parts the cells of a line */
  constructor(separator = ',') {
    super();
    this.#separator = separator.charCodeAt(0);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!this.#begun && chunk[0] === UTF_16) this.#text = null;
    this.#begun ||= chunk.length > 0;
    if (!this.#reads(chunk)) {
      done(noText(this.#lineIn(chunk)));
      return;
    }
    this.#end = Buffer.concat([this.#end, chunk.subarray(-LONGEST_CHARACTER)]).subarray(-LONGEST_CHARACTER);
    for (const byte of chunk) {
      if (byte <= QUOTE || byte === this.#separator) this.#take(byte);
      this.#last = byte;
      if (this.#cells <= MOST_CELLS) continue;
      done(new InputError({ file: `The file is no CSV: more than ${MOST_CELLS} cells in line ${this.#line}` }));
      return;
    }
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.#reads() ? null : noText(this.#line));
  }

  /** @param chunk none at the end */
  #reads(chunk?: Buffer): boolean {
    try {
      this.#text?.decode(chunk, { stream: chunk !== undefined });
      return true;
    } catch {
      return false;
    }
  }

  /** In which line of the file a chunk that cannot be read has its first fault. */
  #lineIn(chunk: Buffer): number {
    const begins = this.#end.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
    const before = this.#end.subarray(Math.max(0, begins));
    const ends = before.toString('latin1').match(/\r\n?|\n/g)?.length ?? 0;
    return this.#line - ends + (lineNotInUtf8(Buffer.concat([before, chunk])) ?? 1) - 1;
  }

  #take(byte: number): void {
    if (byte === QUOTE) this.#quoted = !this.#quoted;
    else if (byte === this.#separator && !this.#quoted) this.#cells++;
    else if (byte === CR || byte === LF) {
      if (byte === CR || this.#last !== CR) this.#line++;
      if (!this.#quoted) this.#cells = 1;
    }
  }
}

const noText = (line: number) =>
  new InputError({
    file: `The file is not in UTF-8, first in line ${line}: save it as CSV in UTF-8, for in another encoding letters with accents would be spoilt.`,
  });
