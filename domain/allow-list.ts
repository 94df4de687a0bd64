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
  const addresses = new Set(entries.filter((entry) => entry.indexOf('@') > 0));
  const domains = new Set(entries.filter((entry) => !addresses.has(entry)).map((entry) => entry.replace(/^@/, '')));
  return (address) => {
    const known = address.toLowerCase();
    const at = known.lastIndexOf('@');
    return at > 0 && (addresses.has(known) || domains.has(known.slice(at + 1)));
  };
}
