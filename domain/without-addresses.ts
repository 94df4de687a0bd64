/** A quoted local part that holds what otherwise ends a word. */
const QUOTED = /"[^"]*"(?=@)/g;
/** What stands between spaces, quotes, brackets and commas. One class of characters: nothing to go back over. */
const WORD = /[^\s"<>()[\]{},;\\]+/g;
/** An address as it is written, in a URL, in HTML, or in the xtext of SMTP. */
const AT = /[@＠]|%40|&#0*64|&commat|\+40/i;

export const NO_ADDRESS = '[address]';

/** A text with the email addresses in it taken out: a relay's reply, an error of a CRM or of the database. In time linear in its length. */
export const withoutAddresses = (text: string): string =>
  AT.test(text) ? text.replace(QUOTED, '').replace(WORD, (word) => (AT.test(word) ? NO_ADDRESS : word)) : text;

/** An address of one person taken out of the words about them, and their name before the @ where it stands in angle brackets. */
export function withoutAddress(address: string, words: string): string {
  const at = address.lastIndexOf('@');
  const [local, domain] = [literally(address.slice(0, at)), literally(address.slice(at + 1))];
  const written = new RegExp(`<${local}(?:@[^<>\\s]*)?>|${local}(?:${AT.source})${domain}`, 'gi');
  return words.replaceAll(written, (found) => (found.startsWith('<') ? '<…>' : '…'));
}

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
