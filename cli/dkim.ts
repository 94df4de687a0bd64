import { addDkimKey, listDkimKeys, removeDkimKey, type ShownDkimKey, useDkimKey } from '../core/senders/stored-keys.ts';
import type { Pool } from '../db/driver.ts';
import { InputError } from '../domain/errors.ts';
import { DKIM_ALGORITHMS, type DkimAlgorithm } from '../domain/words.ts';
import { usableAddress } from '../mail/address.ts';
import { dkimRecord, makeDkimKey, publicHalf, zoneLine } from '../mail/dkim/key.ts';

export const DKIM_USAGE = `npm run dkim -- make DOMAIN [--algorithm rsa|ed25519] [--selector NAME]
npm run dkim -- list [DOMAIN]
npm run dkim -- use DOMAIN SELECTOR
npm run dkim -- remove DOMAIN SELECTOR`;

/** How many words each has, itself among them. */
const FORMS: Record<string, readonly number[]> = { list: [1, 2], make: [2], use: [3], remove: [3] };

/** Whether the words are one of the forms of the usage. */
export const isDkimCommand = (words: readonly string[]): boolean => FORMS[words[0] ?? '']?.includes(words.length) ?? false;

/**
 * Keeps the keys that sign mail.
 * @param words what is to be done, the domain, the selector
 * @returns what to print: never a private key
 * @throws InputError with what is wrong
 */
export async function runDkimCommand(
  pool: Pool,
  secretKey: string,
  words: readonly string[],
  options: { algorithm?: string; selector?: string } = {},
): Promise<string> {
  const [verb, domain, selector] = words;
  if (verb === 'list') return listed(await listDkimKeys(pool, domain === undefined ? {} : { domain: readDomain(domain) }));
  if (verb === 'make' && domain !== undefined && selector === undefined) {
    const algorithm = readAlgorithm(options.algorithm ?? 'rsa');
    const privateKey = await makeDkimKey(algorithm);
    const place = { domain: readDomain(domain), selector: readSelector(options.selector ?? `campaign-${algorithm}`) };
    return made(await addDkimKey(pool, { ...place, algorithm, publicKey: publicHalf(algorithm, privateKey), privateKey }, secretKey));
  }
  if (verb === 'use' && domain !== undefined && selector !== undefined) {
    await useDkimKey(pool, readDomain(domain), readSelector(selector));
    return `Mailings of ${domain} that begin from now on are signed with ${selector}.`;
  }
  if (verb === 'remove' && domain !== undefined && selector !== undefined) {
    await removeDkimKey(pool, readDomain(domain), readSelector(selector));
    return `The key ${selector} of ${domain} is gone. Leave its record for a week: mail on its way is still checked with it.`;
  }
  throw new InputError({ command: DKIM_USAGE });
}

function made(key: ShownDkimKey): string {
  const { domain, selector, active } = key;
  const record = dkimRecord(key);
  return [
    'Publish this record (type TXT):',
    '',
    `  name   ${record.name}`,
    `  value  ${record.value}`,
    '',
    'or as a line of a zone file:',
    '',
    zoneLine(record),
    '',
    active
      ? `Mailings from ${domain} that begin from now on are signed with it.`
      : `Another key of ${domain} signs until you say: npm run dkim -- use ${domain} ${selector}`,
  ].join('\n');
}

const listed = (keys: ShownDkimKey[]): string =>
  keys
    .map((key) => {
      const { name, value } = dkimRecord(key);
      const since = key.createdAt.toISOString().slice(0, 10);
      return `${key.domain}  ${key.selector}  ${key.algorithm}  ${since}  ${key.active ? 'signs' : 'does not sign'}\n  ${name}  ${value}`;
    })
    .join('\n') || 'No keys: mails are not signed.';

function readAlgorithm(text: string): DkimAlgorithm {
  const algorithm = DKIM_ALGORITHMS.find((known) => known === text);
  if (!algorithm) throw new InputError({ algorithm: `The algorithm is one of ${DKIM_ALGORITHMS.join(', ')}.` });
  return algorithm;
}

function readDomain(text: string): string {
  const address = usableAddress(`x@${text}`);
  if (address === null || !text.includes('.')) throw new InputError({ domain: `“${text}” is no domain.` });
  return address.slice(2).toLowerCase();
}

function readSelector(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i.test(text) || text.length > 100) {
    throw new InputError({ selector: `“${text}” is no selector: letters, digits and hyphens.` });
  }
  return text.toLowerCase();
}
