import { escapeHtml, type Output } from '../template/output.ts';
import type { ByteSink } from './byte-sink.ts';

// Quoted-printable for bodies put together from parts. Every part leaves the line at column 0: text that does not end in a line break ends in a
// soft one (`=` at the end of the line). So the template's own text is encoded once, when it is compiled, and a value is encoded by itself, without
// knowing where on the line it will stand; a short plain one is already encoded as it is. No line begins with a dot or with "From ", so
// nothing needs stuffing later.

const LINE = 75;

const HEX = Array.from({ length: 256 }, (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`);

/** ASCII as it stands in an encoded line. */
const ASCII = HEX.slice(0, 128).map((hex, code) =>
  code === 9 || (code >= 32 && code < 127 && code !== 61) ? String.fromCharCode(code) : hex,
);

/** The bytes of a character beyond ASCII in UTF-8; by hand, since a text may be nothing else. */
function encodeCharacter(code: number): string {
  const last = HEX[0x80 | (code & 0x3f)]!;
  if (code < 0x800) return HEX[0xc0 | (code >> 6)]! + last;
  const third = HEX[0x80 | ((code >> 6) & 0x3f)]! + last;
  if (code < 0x10000) return HEX[0xe0 | (code >> 12)]! + third;
  return HEX[0xf0 | (code >> 18)]! + HEX[0x80 | ((code >> 12) & 0x3f)]! + third;
}

/** One line without its line break, the last character kept safe from being trimmed when a hard break follows. */
function encodeLine(line: string, hard: boolean): string {
  let [encoded, column] = ['', 0];
  for (let at = 0; at < line.length; ) {
    const code = line.codePointAt(at)!;
    const size = code > 0xffff ? 2 : 1;
    const trimmable = (code === 32 || code === 9) && hard && at === line.length - 1;
    let unit = code < 128 ? (trimmable ? HEX : ASCII)[code]! : encodeCharacter(code);
    at += size;
    if (column + unit.length > LINE) {
      encoded += '=\r\n';
      column = 0;
    }
    // A dot, and the F of "From ".
    if (column === 0 && (code === 46 || code === 70)) unit = HEX[code]!;
    encoded += unit;
    column += unit.length;
  }
  return encoded;
}

/** @returns lines of at most 76 characters, ASCII, the last one ended too, softly where the text has no line break there */
export function quotedPrintable(text: string): string {
  const lines = text.toWellFormed().split(/\r\n|\r|\n/);
  const last = lines.pop()!;
  const ended = lines.map((line) => `${encodeLine(line, true)}\r\n`).join('');
  return last === '' ? ended : `${ended}${encodeLine(last, false)}=\r\n`;
}

// Nearly all values are short and plain: what quotedPrintable would do to them is to add the soft break. They are looked at and written in one go.

const SAFE_IN_TEXT = safeCharacters('=');
const SAFE_IN_HTML = safeCharacters('=&<>"\'');

function safeCharacters(except: string): Uint8Array {
  const safe = new Uint8Array(128);
  for (let code = 32; code < 127; code++) if (!except.includes(String.fromCharCode(code))) safe[code] = 1;
  return safe;
}

const needsStart = (text: string) => text.charCodeAt(0) === 46 || text.startsWith('From ');

function value(into: ByteSink, text: string, safe: Uint8Array, encode: (text: string) => string): void {
  const { length } = text;
  if (length === 0) return;
  if (length > LINE || needsStart(text) || !into.tryLine(text, safe)) into.ascii(encode(text));
}

const encodeHtml = (text: string) => quotedPrintable(escapeHtml(text));

const literal = (text: string) => {
  const bytes = Buffer.from(quotedPrintable(text), 'latin1');
  return (into: ByteSink) => into.bytes(bytes);
};
const textValue = (into: ByteSink, text: string) => value(into, text, SAFE_IN_TEXT, quotedPrintable);
const htmlValue = (into: ByteSink, text: string) => value(into, text, SAFE_IN_HTML, encodeHtml);

/** The outputs of a mail's two parts. */
export const quotedText: Output<ByteSink> = { html: false, literal, value: textValue, markup: textValue };
export const quotedHtml: Output<ByteSink> = { html: true, literal, value: htmlValue, markup: textValue };
