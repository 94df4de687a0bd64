import { Transform, type TransformCallback } from 'node:stream';
import { InputError } from '../domain/errors.ts';

/** Cells in one line of a CSV file: as many as a line of a million characters has with something in each. */
export const MOST_CELLS = 500_000;

const [LF, CR, QUOTE, COMMA] = [0x0a, 0x0d, 0x22, 0x2c];

/**
 * Stands before the parser of a CSV file and lets it through as it is. The parser bounds what stands in a line's cells and not how many there are: of a line of
 * nothing but commas it makes a list of millions, for which everybody else waits. Fails with an InputError under `file` instead.
 */
export class CountedCells extends Transform {
  #quoted = false;
  #cells = 1;
  #line = 1;
  #last = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (const byte of chunk) {
      if (byte <= COMMA) this.#take(byte);
      this.#last = byte;
      if (this.#cells <= MOST_CELLS) continue;
      done(new InputError({ file: `The file is no CSV: more than ${MOST_CELLS} cells in line ${this.#line}` }));
      return;
    }
    done(null, chunk);
  }

  #take(byte: number): void {
    if (byte === QUOTE) this.#quoted = !this.#quoted;
    else if (byte === COMMA && !this.#quoted) this.#cells++;
    else if (byte === CR || byte === LF) {
      if (byte === CR || this.#last !== CR) this.#line++;
      if (!this.#quoted) this.#cells = 1;
    }
  }
}
