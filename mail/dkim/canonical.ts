// Relaxed canonicalization (RFC 6376, 3.4): the form of header and body that is hashed, so that a relay may fold lines anew and change white space.

const [TAB, LF, CR, SPACE] = [9, 10, 13, 32];

/** Used again for each mail. */
let canonical = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * The body in relaxed form: runs of white space as one space, none at the end of a line, no empty lines at the end.
 * @param body with CRLF line ends
 * @returns valid until the next call
 */
export function relaxedBody(body: Uint8Array): Uint8Array {
  if (canonical.length < body.length + 2) canonical = Buffer.allocUnsafeSlow(2 * body.length + 2);
  const into = canonical;
  let at = 0;
  let end = 0;
  let space = false;
  for (let n = 0; n < body.length; n++) {
    const byte = body[n]!;
    if (byte === SPACE || byte === TAB) space = true;
    else if (byte === CR && body[n + 1] === LF) {
      into[at++] = CR;
      into[at++] = LF;
      n++;
      space = false;
    } else {
      if (space) into[at++] = SPACE;
      space = false;
      into[at++] = byte;
      end = at;
    }
  }
  // Behind the last character that is not white space: one line end, whatever stood there.
  if (end === 0) return into.subarray(0, 0);
  into[end] = CR;
  into[end + 1] = LF;
  return into.subarray(0, end + 2);
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
