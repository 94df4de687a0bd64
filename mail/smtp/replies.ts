/** A relay's answer: the code, and all its lines as one. */
export interface Reply {
  code: number;
  text: string;
}

/** What came is no SMTP. */
export class ProtocolError extends Error {}

/** Longest answer taken, all lines together: more than any real one, less than harm. */
const LONGEST = 16 * 1024;
/** How much of an answer is kept. */
const KEPT = 500;

const digit = (byte: number | undefined) => (byte !== undefined && byte >= 48 && byte <= 57 ? byte - 48 : Number.NaN);

/** Cuts a stream of bytes into replies. */
export class ReplyReader {
  /** An incomplete line, or lines before the last one of a reply; copied, because the bytes given are overwritten by the next ones. */
  #begun: Buffer | null = null;
  /** Begins of earlier lines of the same reply. */
  #lines = '';

  /** Whether something is there that belongs to no complete reply. */
  get inTheMiddle(): boolean {
    return this.#begun !== null || this.#lines !== '';
  }

  /**
   * @param chunk bytes as they came; may be reused after the call
   * @param take called with each complete reply, in order; what it returns says whether to go on
   * @throws ProtocolError
   */
  read(chunk: Buffer, take: (code: number, text: string) => boolean): void {
    const bytes = this.#begun ? Buffer.concat([this.#begun, chunk]) : chunk;
    this.#begun = null;
    let start = 0;
    for (let end = bytes.indexOf(10, start); end >= 0; end = bytes.indexOf(10, start)) {
      const code = digit(bytes[start]) * 100 + digit(bytes[start + 1]) * 10 + digit(bytes[start + 2]);
      const mark = bytes[start + 3];
      if (!(code >= 200 && code < 600) || !(mark === 32 || mark === 45 || mark === 13 || mark === 10))
        throw new ProtocolError('the relay does not answer in SMTP');
      const line = bytes.toString('utf8', start, bytes[end - 1] === 13 ? end - 1 : end);
      start = end + 1;
      if (mark === 45) {
        this.#lines += `${line}\n`;
        if (this.#lines.length > LONGEST) throw new ProtocolError('the relay’s answer does not end');
        continue;
      }
      const text = this.#lines + line;
      this.#lines = '';
      if (!take(code, text)) return;
    }
    if (bytes.length - start > LONGEST) throw new ProtocolError('the relay’s answer does not end');
    if (start < bytes.length) this.#begun = Buffer.from(bytes.subarray(start));
  }
}

/** A reply as it is recorded: one line, no control characters (a database takes no NUL), not too long. */
export const shownReply = (text: string): string =>
  /^[ -~]{0,500}$/.test(text)
    ? text
    : text
        .replace(/\n\d{3}[- ]/g, ' ')
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, KEPT)
        .toWellFormed();
