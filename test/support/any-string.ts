import fc from 'fast-check';

/**
 * Strings of any code points, halves of pairs too. The library's own unit of that kind (`binary`) first writes down all there are, a million: 180 MB and
 * two seconds of processor time.
 */
export const anyString = (): fc.Arbitrary<string> =>
  fc.string({ unit: fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code), codeOf) });

function codeOf(text: unknown): number {
  const code = String(text).codePointAt(0) ?? -1;
  if (text !== String.fromCodePoint(code)) throw new Error('no single code point');
  return code;
}
