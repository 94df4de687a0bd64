// Addresses that others wrote, where browsers are led to.

/** Run by the browser in the page that follows it, or read from the visitor's own disk. */
const NO_PLACE = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:']);

/** What is wrong with an address that people are to be led to; nothing when it leads to a page, if only beside the one it stands on. */
export function addressProblem(address: string): string | undefined {
  if (/\p{Cc}/u.test(address)) return 'must be one line without control characters';
  if (/\s/.test(address.trim())) return 'must be an address: white space stands in it as %20';
  const { protocol = '' } = URL.parse(address.trim()) ?? {};
  return NO_PLACE.has(protocol) ? `must not begin with ${protocol}` : undefined;
}

/** An address as it can stand in a Location header: what is beyond ASCII is encoded, and so is white space. Nothing for what cannot be read as one. */
export function asLocation(address: string): string | undefined {
  return /^[!-~]+$/.test(address) ? address : URL.parse(address)?.href;
}
