import { createHash } from 'node:crypto';
import { compileMailing, type MailSettings } from './compile.ts';
import type { CompiledMailing, MailingContent } from './contracts.ts';

/** A mailing compiled takes a few times the memory of its text. */
const MOST_CHARACTERS = 5_000_000;
/** And as much as so many more, however short it is, for the buffer its mails are put together in. */
const EACH = 25_000;

interface Kept {
  mailing: CompiledMailing;
  characters: number;
}

/** Latest used last. */
const kept = new Map<string, Kept>();
let characters = 0;

/**
 * `compileMailing` for mails made one at a time (confirmations, proofs, previews, mails on the web): the same content is compiled once, not for each mail.
 * @throws InputError as that does
 */
export function compileOnce(content: MailingContent, settings: MailSettings): CompiledMailing {
  const text = JSON.stringify([content, settings.baseUrl, settings.mailDomain, settings.secretKey]);
  const key = createHash('sha256').update(text).digest('base64');
  const known = kept.get(key);
  if (known) {
    kept.delete(key);
    kept.set(key, known);
    return known.mailing;
  }
  const mailing = compileMailing(content, settings);
  kept.set(key, { mailing, characters: text.length + EACH });
  characters += text.length + EACH;
  for (const [oldest, { characters: many }] of kept) {
    if (characters <= MOST_CHARACTERS || oldest === key) break;
    kept.delete(oldest);
    characters -= many;
  }
  return mailing;
}
