import type { Sink } from '../template/output.ts';

// Where a message is put together: one buffer, used again for each mail. Adding up strings instead costs several times as much, because
// the pieces have to be gathered from all over the memory when the whole is written (measured: 8 µs against 1 µs for 3 KB in 40 pieces).

export class ByteSink implements Sink {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
  }

  /** What is in it, one character per byte. */
  toString(): string {
    return this.#buffer.toString('latin1', 0, this.#length);
  }

  /** What is in it, as bytes of their own. */
  copy(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  bytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Text whose characters are bytes: ASCII, or made by `asBytes`. */
  ascii(text: string): void {
    this.#makeRoom(text.length);
    this.#length += this.#buffer.write(text, this.#length, 'latin1');
  }

  /** Writes short text and a soft line break, if each of its characters is safe; otherwise nothing. */
  tryLine(text: string, safe: Uint8Array): boolean {
    this.#makeRoom(text.length + 3);
    const buffer = this.#buffer;
    let at = this.#length;
    for (let n = 0; n < text.length; n++) {
      const code = text.charCodeAt(n);
      if (safe[code] !== 1) return false;
      buffer[at++] = code;
    }
    buffer[at++] = 61;
    buffer[at++] = 13;
    buffer[at++] = 10;
    this.#length = at;
    return true;
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, this.#length + more));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
