import { hash } from 'node:crypto';
import { sameText } from './same-text.ts';

// akid: `<mailing_id>.<user_id>.<hash>`, without a mailing `.<user_id>.<hash>`. It names a user (and the mailing it stood in) in links, and cannot be
// made up without the secret. There are two of one shape. The mail's is proof of having that person's mail (or of being told their token by somebody who
// may read users) and opens what is theirs. The answer's goes to whoever sent in an address, which proves nothing: it is signed apart and only names.

const HASH_LENGTH = 6;
/** The number in the akids of mails that belong to no mailing: confirmations. They prove as much, and name none. */
const ONE_OFF = 0;
const LARGEST_ID = 2_147_483_647;
const HOUR = 3_600_000;

/** What an akid says. */
export interface Akid {
  mailingId: number | null;
  userId: number;
}

/** SHA-256 over `SECRET.cleartext`, URL-safe base64: 43 characters, of which an akid shows the first six. */
export const akidDigest = (secret: string, cleartext: string): string => hash('sha256', `${secret}.${cleartext}`, 'base64url');

/** @param mailingId null gives the user's `token` */
export function akid(secret: string, mailingId: number | null, userId: number): string {
  return signed(secret, '', mailingId, userId);
}

/** The ids in a mail's akid, or null when it is not one of ours. */
export function readAkid(secret: string, text: string): Akid | null {
  return read(secret, '', text);
}

/**
 * The akid to answer with.
 * @param sent what the caller sent, if anything: who has a mail's akid is told it again, and nobody else
 */
export function answerAkid(secret: string, mailingId: number | null, userId: number, sent: string | null = null): string {
  const own = sent !== null && (sent === akid(secret, mailingId, userId) || (mailingId === null && sent === akid(secret, ONE_OFF, userId)));
  return own ? sent : signed(secret, 'answer.', mailingId, userId);
}

/** Whom an akid of either kind names. `proven`: a mail's; the mailing of an answer's, which anybody may have named, is left out. */
export function readAnyAkid(secret: string, text: string): (Akid & { proven: boolean }) | null {
  const mails = readAkid(secret, text);
  if (mails) return { ...mails, proven: true };
  const answers = read(secret, 'answer.', text);
  return answers && { mailingId: null, userId: answers.userId, proven: false };
}

/** Whether a text has the outward shape of an akid. */
export const looksLikeAkid = (text: string): boolean => SHAPE.test(text);

/** Shows that a page of ours, not older than an hour or two, led to the button that was pressed. */
export const clickProof = (secret: string, text: string, at = Date.now()): string =>
  akidDigest(secret, `click.${Math.floor(at / HOUR)}.${text}`);

/** Also one of the hour to come: the page may be another process's, whose clock is ahead of ours. */
export function isClickProof(secret: string, text: string, given: string, now = Date.now()): boolean {
  return [now, now - HOUR, now + HOUR].some((at) => sameText(given, clickProof(secret, text, at)));
}

const SHAPE = /^(\d{1,10})?\.(\d{1,10})\.([\w-]{6})$/;

function signed(secret: string, kind: '' | 'answer.', mailingId: number | null, userId: number): string {
  const cleartext = `${mailingId ?? ''}.${userId}`;
  return `${cleartext}.${akidDigest(secret, kind + cleartext).slice(0, HASH_LENGTH)}`;
}

function read(secret: string, kind: '' | 'answer.', text: string): Akid | null {
  const found = SHAPE.exec(text);
  if (!found) return null;
  const [, mailing, user, given] = found;
  const expected = akidDigest(secret, kind + text.slice(0, -HASH_LENGTH - 1)).slice(0, HASH_LENGTH);
  const ids = { mailingId: Number(mailing ?? ONE_OFF) || null, userId: Number(user) };
  if (ids.userId > LARGEST_ID || (ids.mailingId ?? 0) > LARGEST_ID) return null;
  return sameText(given!, expected) ? ids : null;
}
