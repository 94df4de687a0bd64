import { Transform, type TransformCallback } from 'node:stream';
import { TextDecoder } from 'node:util';
import { InputError } from '../domain/errors.ts';

/** Cells in one line of a CSV file: as many as a line of a million characters has with something in each. */
export const MOST_CELLS = 500_000;

const [LF, CR, QUOTE, COMMA] = [0x0a, 0x0d, 0x22, 0x2c];
/** How files in UTF-16 begin, which the parser knows by it; nothing in UTF-8 has this byte. */
const UTF_16 = 0xff;

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

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!this.#begun && chunk[0] === UTF_16) this.#text = null;
    this.#begun ||= chunk.length > 0;
    if (!this.#reads(chunk)) {
      done(noText());
      return;
    }
    for (const byte of chunk) {
      if (byte <= COMMA) this.#take(byte);
      this.#last = byte;
      if (this.#cells <= MOST_CELLS) continue;
      done(new InputError({ file: `The file is no CSV: more than ${MOST_CELLS} cells in line ${this.#line}` }));
      return;
    }
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.#reads() ? null : noText());
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

  #take(byte: number): void {
    if (byte === QUOTE) this.#quoted = !this.#quoted;
    else if (byte === COMMA && !this.#quoted) this.#cells++;
    else if (byte === CR || byte === LF) {
      if (byte === CR || this.#last !== CR) this.#line++;
      if (!this.#quoted) this.#cells = 1;
    }
  }
}

const noText = () =>
  new InputError({ file: 'The file is not in UTF-8. Save it as CSV in UTF-8: in another encoding letters with accents would be spoilt.' });
