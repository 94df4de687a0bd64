import type { SinkMail } from '../../embedded/sink/session.ts';

/** One mail as the relay took it. */
export interface Taken {
  from: string;
  content: Buffer;
  /** performance.now() */
  at: number;
}

/** What the relay knows of one mailing: the mails it took, by the address it was to bring them to. */
export type MailingRecord = Map<string, Taken[]>;

/** The relay's own record. Mailings are told apart by the word in their from line, recipients by the address of the envelope. */
export class RelayRecord {
  readonly #mailings = new Map<string, MailingRecord>();
  /** Addresses refused for good in this round. */
  readonly refused = new Set<string>();
  /** What came and belongs to no mailing that is being watched. */
  readonly strange: string[] = [];

  /** Begins to watch a mailing. */
  open(token: string): MailingRecord {
    const record: MailingRecord = new Map();
    this.#mailings.set(token, record);
    return record;
  }

  /** From now on a mail of it is one too late. */
  close(token: string): void {
    this.#mailings.delete(token);
  }

  take({ from, to, content }: SinkMail): void {
    const token = /^From:[^\r\n]*\b(round\d+)\b/im.exec(content.toString('latin1', 0, 2048))?.[1] ?? '';
    const record = this.#mailings.get(token);
    for (const address of to.map((each) => each.toLowerCase())) {
      if (!record) this.strange.push(`${address} got a mail of ${token || 'no mailing'}`);
      const before = record?.get(address) ?? [];
      record?.set(address, [...before, { from, content: Buffer.from(content), at: performance.now() }]);
    }
  }

  refuse({ to }: Pick<SinkMail, 'to'>): void {
    for (const address of to) this.refused.add(address.toLowerCase());
  }
}
