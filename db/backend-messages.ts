import type { Column } from '../domain/reports/formats.ts';

// What the server says, read off the wire (PostgreSQL documentation, "Message Formats"): each message is a letter, its length, and its content.

/** The server sends more in one piece than shall be held. */
export class MessageTooLongError extends Error {}

/** Takes bytes as they come and tells of whole messages. Bytes of a large one are put together once, when all are there. */
export class BackendMessages {
  #parts: Buffer[] = [];
  #held = 0;
  #needed = 0;
  #longest: number;

  /** @param longest bytes of a message */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * @param told its letter, and where its content stands; the buffer must not be kept
   * @throws MessageTooLongError as soon as the beginning of such a message is there
   */
  read(chunk: Buffer, told: (letter: number, data: Buffer, from: number, to: number) => void): void {
    this.#parts.push(chunk);
    this.#held += chunk.length;
    if (this.#held < this.#needed) return;
    const data = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    let at = 0;
    this.#needed = 5;
    while (data.length - at >= 5) {
      const length = 1 + data.readInt32BE(at + 1);
      if (length > this.#longest) throw new MessageTooLongError();
      if (data.length - at < length) {
        this.#needed = length;
        break;
      }
      told(data[at]!, data, at + 5, at + length);
      at += length;
    }
    this.#parts = at < data.length ? [data.subarray(at)] : [];
    this.#held = data.length - at;
  }
}

/** The columns of a RowDescription. */
export function readColumns(data: Buffer, from: number): Column[] {
  let at = from + 2;
  return Array.from({ length: data.readInt16BE(from) }, () => {
    const end = data.indexOf(0, at);
    const column = { name: data.toString('utf8', at, end), oid: data.readUInt32BE(end + 7) };
    at = end + 19;
    return column;
  });
}

/** Code and message of an ErrorResponse. */
export function readError(data: Buffer, from: number, to: number): { code: string; message: string } {
  const fields: Record<string, string> = {};
  for (let at = from; at < to && data[at] !== 0; ) {
    const end = data.indexOf(0, at);
    fields[String.fromCharCode(data[at]!)] = data.toString('utf8', at + 1, end);
    at = end + 1;
  }
  return { code: fields['C'] ?? '', message: fields['M'] ?? '' };
}
