import type { ParsedMail } from 'mailparser';

/** Only what readers show is read: links made of the text, text made of HTML and images put into it take far longer than the mail itself. */
const OPTIONS = { skipTextToHtml: true, skipHtmlToText: true, skipImageLinks: true };

/**
 * A finished mail as its reader would see it, in a time that grows as the mail does: what strangers say of themselves stands in it.
 * @param message as it was sent, RFC 5322
 */
export async function readMail(message: Buffer): Promise<ParsedMail> {
  // Loaded where it is needed, not at every start.
  const { simpleParser } = await import('mailparser');
  return simpleParser(unfolded(message), OPTIONS);
}

/** With each header field on one line: those of several are put together in the square of their lines. */
function unfolded(message: Buffer): Buffer {
  const end = message.indexOf('\r\n\r\n');
  if (end < 0) return message;
  const header = message.toString('latin1', 0, end).replace(/\r\n([ \t])/g, '$1');
  return Buffer.concat([Buffer.from(header, 'latin1'), message.subarray(end)]);
}
