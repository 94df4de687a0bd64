// Header values that cannot break out of their header: whatever goes in, CR, LF, NUL and other controls never come out, and lines stay short.

const LINE = 76;

/** Everything that could end a line or confuse a reader of one, as a single space. */
export const oneLine = (text: string): string =>
  /^[!-~]+(?: [!-~]+)*$/.test(text)
    ? text
    : text
        .toWellFormed()
        .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
        .trim();

const ASCII = /^[ -~]*$/;

/** Free text such as a subject: as it is where it is ASCII, otherwise in encoded words (RFC 2047), folded. */
export function textHeader(name: string, text: string): string {
  const clean = oneLine(text);
  if (ASCII.test(clean) && !clean.includes('=?')) {
    if (name.length + 2 + clean.length <= LINE) return `${name}: ${clean}\r\n`;
    const folded = fold(clean, name.length + 2);
    if (folded !== null) return `${name}: ${folded}\r\n`;
  }
  return `${name}: ${encodedWords(clean, name.length + 2)}\r\n`;
}

/** Breaks at spaces; null when a word is too long for a line. */
function fold(text: string, used: number): string | null {
  let [folded, column] = ['', used];
  for (const word of text.split(' ')) {
    if (word.length > LINE - 1) return null;
    const joint = folded === '' ? '' : column + 1 + word.length > LINE ? '\r\n ' : ' ';
    column = joint === '\r\n ' ? 1 + word.length : column + joint.length + word.length;
    folded += joint + word;
  }
  return folded;
}

/** `=?UTF-8?B?…?=` words of whole characters, each on a line of its own. */
export function encodedWords(text: string, used = 0): string {
  const words: string[] = [];
  let [chunk, bytes, room] = ['', 0, roomFor(used)];
  for (const character of text) {
    const size = Buffer.byteLength(character);
    if (bytes + size > room && chunk !== '') {
      words.push(chunk);
      [chunk, bytes, room] = ['', 0, roomFor(1)];
    }
    chunk += character;
    bytes += size;
  }
  words.push(chunk);
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}

/** Bytes that fit into one encoded word on a line of which `used` columns are taken. */
const roomFor = (used: number) => Math.max(3, Math.floor((LINE - used - 12) / 4) * 3);

/** A name and an address for From and Reply-To. */
export interface Mailbox {
  name: string;
  address: string;
}

/** `"Name" <address>`, the name in encoded words where it is not ASCII. */
export function mailboxHeader(name: string, { name: shown, address }: Mailbox): string {
  const clean = oneLine(shown);
  if (clean === '') return `${name}: ${address}\r\n`;
  const quoted = ASCII.test(clean) && clean.length < LINE ? `"${clean.replace(/["\\]/g, '\\$&')}"` : encodedWords(clean, name.length + 2);
  const joint = name.length + 2 + quoted.length + address.length + 3 > LINE ? '\r\n ' : ' ';
  return `${name}: ${quoted}${joint}<${address}>\r\n`;
}

/** A date as mails write it: `Sat, 21 Nov 2026 10:00:00 +0000`. */
export const mailDate = (date: Date): string => date.toUTCString().replace('GMT', '+0000');
