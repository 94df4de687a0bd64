import { escapeHtml, type Output } from '../domain/template/output.ts';

// Quoted-printable for bodies put together from parts. Every part leaves the line at column 0: text that does not end in a line break ends in a
// soft one (`=` at the end of the line). So the template's own text is encoded once, when it is compiled, and a value is encoded by itself, without
// knowing where on the line it will stand; a short plain one is already encoded as it is. No line begins with a dot or with "From ", so
// nothing needs stuffing later.

const LINE = 75;

/** A character that stands for itself; `=` does not, and everything beyond ASCII does not. */
const LITERAL = /^[\t !-<>-~]$/;

const HEX = Array.from({ length: 256 }, (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`);

function encodeCharacter(character: string): string {
  const code = character.codePointAt(0)!;
  return code < 128 ? HEX[code]! : encodeURIComponent(character).replaceAll('%', '=');
}

/** One line without its line break, the last character kept safe from being trimmed when a hard break follows. */
function encodeLine(line: string, hard: boolean): string {
  let [encoded, column] = ['', 0];
  const characters = [...line];
  characters.forEach((character, n) => {
    const trimmable = hard && n === characters.length - 1 && (character === ' ' || character === '\t');
    let unit = LITERAL.test(character) && !trimmable ? character : encodeCharacter(character);
    if (column + unit.length > LINE) {
      encoded += '=\r\n';
      column = 0;
    }
    if (column === 0 && (character === '.' || character === 'F')) unit = encodeCharacter(character);
    encoded += unit;
    column += unit.length;
  });
  return encoded;
}

/** @returns lines of at most 76 characters, ASCII, the last one ended too, softly where the text has no line break there */
export function quotedPrintable(text: string): string {
  const lines = text.toWellFormed().split(/\r\n|\r|\n/);
  const last = lines.pop()!;
  const ended = lines.map((line) => `${encodeLine(line, true)}\r\n`).join('');
  return last === '' ? ended : `${ended}${encodeLine(last, false)}=\r\n`;
}

// Nearly all values are short and plain. What quotedPrintable would do to them is to add the soft break.
const PLAIN = /^(?!From )[ !-\-/-<>-~][ !-<>-~]{0,74}$/;
const PLAIN_HTML = /^(?!From )[ !#-%(-\-/-;?-~][ !#-%(-;?-~]{0,74}$/;

function textValue(text: string): string {
  if (PLAIN.test(text)) return `${text}=\r\n`;
  return text === '' ? '' : quotedPrintable(text);
}

function htmlValue(text: string): string {
  if (PLAIN_HTML.test(text)) return `${text}=\r\n`;
  return text === '' ? '' : quotedPrintable(escapeHtml(text));
}

/** The outputs of a mail's two parts. */
export const quotedText: Output = { html: false, literal: quotedPrintable, value: textValue, markup: textValue };
export const quotedHtml: Output = { html: true, literal: quotedPrintable, value: htmlValue, markup: textValue };
