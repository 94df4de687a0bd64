// Relaxed canonicalization (RFC 6376, 3.4): the form of header and body that is hashed, so that a relay may fold lines anew and change white space.

/** White space that is not a single space inside a line. */
const LOOSE = /[ \t](?=[ \t\r])|\t/;

/**
 * The body in relaxed form: runs of white space as one space, none at the end of a line, no empty lines at the end.
 * @param body with CRLF line ends, one character per byte
 */
export function relaxedBody(body: string): string {
  const lines = LOOSE.test(body) ? body.replace(/(?<![ \t])[ \t]+\r\n/g, '\r\n').replace(/[ \t]{2,}|\t/g, ' ') : body;
  let end = lines.length;
  if (lines[end - 1] === ' ') end--;
  while (lines.endsWith('\r\n', end)) end -= 2;
  return end === 0 ? '' : `${lines.slice(0, end)}\r\n`;
}

/** A header field as it is hashed, without its line end. */
export interface CanonicalField {
  /** Lower case. */
  name: string;
  text: string;
}

/** One field in relaxed form: name in lower case, unfolded, runs of white space as one space, none around the value. */
export function relaxedField(field: string): CanonicalField {
  const colon = field.indexOf(':');
  const name = field.slice(0, colon).trim().toLowerCase();
  // Unfolding is a part of it: a line end stands before white space here.
  const value = field
    .slice(colon + 1)
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(/^ | $/g, '');
  return { name, text: `${name}:${value}` };
}

/**
 * The fields of a header in relaxed form, in their order.
 * @param header one character per byte, each line ended, without the empty line
 */
export const relaxedHeader = (header: string): CanonicalField[] =>
  header
    .split(/\r\n(?![ \t])/)
    .filter((field) => field !== '')
    .map(relaxedField);
