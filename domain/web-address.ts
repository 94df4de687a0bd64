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

const TAG = /\{\{[^{}\p{Cc}]*\}\}|\{%[^{}\p{Cc}]*%\}|\{#[^{}\p{Cc}]*#\}/gu;

/** The same of an address in which there may be tags of a template, with white space around them: of each text between tags, and of all together. */
export function taggedAddressProblem(address: string): string | undefined {
  const texts = address.split(TAG).map((text) => text.trim());
  return [...texts, texts.join('')].map(addressProblem).find((problem) => problem !== undefined);
}

/** What an address may show of an action, whoever asks: nothing of a person, whom a caller may only have named. */
const OF_ACTION = /\{\{\s*(akid|action\.id|page\.name)\s*(?:\|\s*urlencode\s*)?\}\}/g;

/** Where a page leads: to its followup's address, where no other tags stand in that, else to its own. */
export const leadingTo = (followupUrl: string, url: string): string =>
  followupUrl === '' || /\{[{%#]|\s/.test(followupUrl.replace(OF_ACTION, '')) ? url : followupUrl;

/** The address with what its tags show of an action. */
export const addressFor = (address: string, shown: { akid: string; 'action.id': number; 'page.name': string }): string =>
  address.replace(OF_ACTION, (_tag, name: keyof typeof shown) => encodeURIComponent(shown[name]));

/** An address as it can stand in a Location header: what is beyond ASCII is encoded, and so is white space. Nothing for what cannot be read as one. */
export function asLocation(address: string): string | undefined {
  return /^[!-~]+$/.test(address) ? address : URL.parse(address)?.href;
}
