/** A relay's answer: the code, and all its lines as one, characters that are bytes. */
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

const digit = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57 ? code - 48 : Number.NaN;
};

/**
 * Cuts a stream of bytes into replies. They are handed on as characters that are bytes: nearly all are looked at for their code alone, and what is shown of the others is
 * made text there (`shownReply`).
 */
export class ReplyReader {
  /** An incomplete line. */
  #begun = '';
  /** Begins of earlier lines of the same reply. */
  #lines = '';

  /** Whether something is there that belongs to no complete reply. */
  get inTheMiddle(): boolean {
    return this.#begun !== '' || this.#lines !== '';
  }

  /**
   * @param chunk bytes as they came; may be reused after the call
   * @param take called with each complete reply, in order; what it returns says whether to go on
   * @throws ProtocolError
   */
  read(chunk: Buffer, take: (code: number, text: string) => boolean): void {
    // All at once: to ask the buffer for each end of a line and each line takes longer than all else that is done for the answers to a mail.
    const said = this.#begun + chunk.toString('latin1');
    this.#begun = '';
    let start = 0;
    for (let end = said.indexOf('\n'); end >= 0; end = said.indexOf('\n', start)) {
      const code = digit(said, start) * 100 + digit(said, start + 1) * 10 + digit(said, start + 2);
      const mark = said[start + 3];
      if (!(code >= 200 && code < 600) || !(mark === ' ' || mark === '-' || mark === '\r' || mark === '\n'))
        throw new ProtocolError('the relay does not answer in SMTP');
      const line = said.slice(start, said[end - 1] === '\r' ? end - 1 : end);
      start = end + 1;
      if (mark === '-') {
        this.#lines += `${line}\n`;
        if (this.#lines.length > LONGEST) throw new ProtocolError('the relay’s answer does not end');
        continue;
      }
      const text = this.#lines + line;
      this.#lines = '';
      if (!take(code, text)) return;
    }
    if (said.length - start > LONGEST) throw new ProtocolError('the relay’s answer does not end');
    this.#begun = said.slice(start);
  }
}

/**
 * A reply as it is recorded: one line, no control characters (a database takes no NUL), not too long.
 * @param reply characters that are bytes, of UTF-8
 */
export const shownReply = (reply: string): string =>
  /^[ -~]{0,500}$/.test(reply)
    ? reply
    : Buffer.from(reply, 'latin1')
        .toString()
        .replace(/\n\d{3}[- ]/g, ' ')
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, KEPT)
        .toWellFormed();
