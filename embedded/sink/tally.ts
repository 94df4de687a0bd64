import { HashSet64 } from './hash-set.ts';

/** What a sink has taken since it began or was reset. */
export interface SinkCounts {
  /** Mails, once for each recipient. */
  received: number;
  /** Different addresses among their recipients. */
  recipients: number;
  /** Mails that came again: same Message-ID, same recipient. */
  duplicated: number;
  bytes: number;
  /** The same by mailing, for mails whose bounce address names one. */
  mailings: Record<string, { received: number; duplicated: number }>;
}

/** Counts mails in memory that stays small: of each mail it keeps two numbers. */
export class Tally {
  #mails = new HashSet64();
  #recipients = new HashSet64();
  #received = 0;
  #duplicated = 0;
  #bytes = 0;
  #mailings = new Map<string, { received: number; duplicated: number }>();

  /** @param id the Message-ID; empty when there is none, which is never a duplicate */
  add(from: string, to: string, id: string, bytes: number): void {
    this.#received++;
    this.#bytes += bytes;
    const recipient = to.toLowerCase();
    const [high, low] = [hash(recipient, 0x811c9dc5), hash(recipient, 0x9dc5811c)];
    this.#recipients.add(high, low);
    const repeated = id !== '' && !this.#mails.add(hash(id, high), hash(id, low));
    if (repeated) this.#duplicated++;
    const mailing = /^bounce\+(\d+)\./.exec(from)?.[1];
    if (mailing === undefined) return;
    const counts = this.#mailings.get(mailing) ?? { received: 0, duplicated: 0 };
    counts.received++;
    if (repeated) counts.duplicated++;
    this.#mailings.set(mailing, counts);
  }

  counts(): SinkCounts {
    return {
      received: this.#received,
      recipients: this.#recipients.size,
      duplicated: this.#duplicated,
      bytes: this.#bytes,
      mailings: Object.fromEntries([...this.#mailings].map(([mailing, counts]) => [mailing, { ...counts }])),
    };
  }

  reset(): void {
    this.#mails.clear();
    this.#recipients.clear();
    [this.#received, this.#duplicated, this.#bytes] = [0, 0, 0];
    this.#mailings.clear();
  }
}

/** FNV-1a with a start of its own: two of them make 64 bits. */
function hash(text: string, start: number): number {
  let value = start;
  for (let n = 0; n < text.length; n++) value = Math.imul(value ^ text.charCodeAt(n), 0x01000193);
  return value >>> 0;
}
