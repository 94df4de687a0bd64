import { domainToASCII } from 'node:url';

/** Whether an address may be mailed. */
export type Allows = (address: string) => boolean;

/** Why an address that may not be mailed gets nothing. */
export const WITHHELD = 'this instance mails the addresses in SEND_ONLY_TO alone';

/**
 * Reads a list of addresses and domains.
 * @param list `ann@example.org, example.net`; absent allows everybody
 */
export function readAllowList(list: string | undefined): Allows {
  if (list === undefined) return () => true;
  const entries = list
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const addresses = new Set(entries.filter((entry) => entry.indexOf('@') > 0).map(inPunycode));
  const domains = new Set(entries.filter((entry) => entry.indexOf('@') <= 0).map((entry) => domainOf(inPunycode(entry))));
  return (address) => {
    const known = inPunycode(address.toLowerCase());
    return known.lastIndexOf('@') > 0 && (addresses.has(known) || domains.has(domainOf(known)));
  };
}

const domainOf = (text: string) => text.slice(text.lastIndexOf('@') + 1);

/** An address, or a domain alone, with its domain as relays are given it: asked for are addresses as they are stored, and those of mails on their way. */
function inPunycode(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  const domain = domainOf(text);
  return text.slice(0, text.length - domain.length) + (domainToASCII(domain) || domain);
}
