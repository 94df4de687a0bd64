import { type BounceReport, readBounceReport } from './bounce-report.ts';
import { readReturnAddress } from './compile.ts';

/** A mail by which somebody leaves all lists: the mailto: of List-Unsubscribe. */
export interface UnsubscribeMail {
  kind: 'unsubscribe';
  userId: number;
  /** Null when the mail it answers belonged to no mailing. */
  mailingId: number | null;
}

export type ReturnedMail = BounceReport | UnsubscribeMail;

/** Header fields that say where a mail was sent to. */
const RECIPIENTS = /^(?:to|cc|delivered-to|x-original-to|envelope-to)\s*:(.*(?:\r?\n[ \t].*)*)/gim;

/**
 * Reads what came to one of our addresses: a mail to an unsubscribe address, a bounce, a complaint.
 * @param raw as it came, RFC 5322
 * @param recipient the address it was sent to, where that is known; otherwise the mail's own header says it
 * @returns null for what is none of these, or about no mail of ours
 */
export async function readReturnedMail(raw: Buffer, secretKey: string, recipient = ''): Promise<ReturnedMail | null> {
  for (const address of recipient ? [recipient] : addressedTo(raw)) {
    const found = readReturnAddress(secretKey, address.slice(0, address.lastIndexOf('@')));
    if (found?.kind === 'unsubscribe') return { kind: 'unsubscribe', userId: found.userId, mailingId: found.mailingId || null };
  }
  return readBounceReport(raw, secretKey, recipient);
}

/** Of the outermost header only: a bounce carries the header of the mail it is about, List-Unsubscribe and all. */
function addressedTo(raw: Buffer): string[] {
  const text = raw.subarray(0, 100_000).toString('latin1');
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const fields = [...text.slice(0, end).matchAll(RECIPIENTS)].map(([, value]) => value!);
  return fields.flatMap((value) => value.match(/unsubscribe\+[\w.-]{1,40}@/gi) ?? []);
}
