// Addresses that others wrote, where browsers are led to.

/**
 * What is wrong with an address that people are to be led to; nothing when it is one of the web or of the page's own site, or empty. Others are run by
 * the browser in the page that follows them, read from the visitor's own disk, or lead somewhere else from every page they stand on.
 */
export function addressProblem(address: string): string | undefined {
  if (/\p{Cc}/u.test(address)) return 'must be one line without control characters';
  return /^(https?:\/\/[^/\s]|\/|$)/i.test(address) ? undefined : 'must begin with https://, http:// or /';
}

/** An address as it can stand in a Location header: what is beyond ASCII is encoded, and so is white space. Nothing for what cannot be read as one. */
export function asLocation(address: string): string | undefined {
  return /^[!-~]+$/.test(address) ? address : URL.parse(address)?.href;
}
