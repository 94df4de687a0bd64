/** Where the bytes of an answer are put together, handed on piece by piece. */
export class OutBytes {
  bytes: Buffer = Buffer.allocUnsafe(PIECE);
  length = 0;

  /** Makes room for `more` bytes, so that they may be written into `bytes` from `length` on. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.length += this.bytes.write(text, this.length);
  }

  /** What is in it, which is the taker's from now on. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(PIECE);
    this.length = 0;
    return taken;
  }
}

/** More than the reader hands on at a time. */
const PIECE = 64 * 1024;
