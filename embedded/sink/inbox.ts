import type { SinkMail } from './session.ts';

/** A mail kept to look at. */
export interface StoredMail {
  id: number;
  at: Date;
  from: string;
  to: readonly string[];
  /** The message as it was before its dots were doubled. */
  content: Buffer;
  /** By DATA: they were. */
  dotted: boolean;
}

/** The last mails. */
export class Inbox {
  readonly #keep: number;
  readonly #mails: StoredMail[] = [];
  #count = 0;

  constructor(keep: number) {
    this.#keep = keep;
  }

  add({ from, to, content, dotted }: SinkMail): void {
    this.#count++;
    if (this.#keep === 0) return;
    this.#mails[this.#count % this.#keep] = { id: this.#count, at: new Date(), from, to, content: Buffer.from(content), dotted };
  }

  /** Newest first. @param to only mails to this address */
  list(to?: string): StoredMail[] {
    const wanted = to?.toLowerCase();
    return this.#mails
      .filter((mail) => mail && (wanted === undefined || mail.to.some((address) => address.toLowerCase() === wanted)))
      .sort((a, b) => b.id - a.id)
      .map(undotted);
  }

  get(id: number): StoredMail | null {
    const mail = this.#mails.find((each) => each?.id === id);
    return mail ? undotted(mail) : null;
  }

  clear(): void {
    this.#mails.length = 0;
  }
}

function undotted(mail: StoredMail): StoredMail {
  if (!mail.dotted) return mail;
  const text = mail.content.toString('latin1');
  return /(^|\n)\.\./.test(text) ? { ...mail, content: Buffer.from(text.replace(/(^|\n)\.\./g, '$1.'), 'latin1') } : mail;
}
