/** MySQL's letters of dates, as to_char understands them. */
const SHOWN: Record<string, string> = {
  Y: 'YYYY',
  y: 'YY',
  m: 'MM',
  c: 'FMMM',
  d: 'DD',
  e: 'FMDD',
  D: 'FMDDth',
  H: 'HH24',
  k: 'FMHH24',
  h: 'HH12',
  I: 'HH12',
  l: 'FMHH12',
  i: 'MI',
  s: 'SS',
  S: 'SS',
  f: 'US',
  p: 'AM',
  r: 'HH12:MI:SS AM',
  T: 'HH24:MI:SS',
  a: 'Dy',
  W: 'FMDay',
  b: 'Mon',
  M: 'FMMonth',
  j: 'DDD',
  v: 'IW',
  x: 'IYYY',
};

const NAMES =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
/** What a letter reads: a group, and the part of the date it is. */
const READ: Record<string, [group: string, part: string]> = {
  Y: ['(\\d{4})', 'Y'],
  y: ['(\\d{2})', 'y'],
  m: ['(\\d{1,2})', 'm'],
  c: ['(\\d{1,2})', 'm'],
  d: ['(\\d{1,2})', 'd'],
  e: ['(\\d{1,2})', 'd'],
  b: [`(${NAMES})`, 'b'],
  M: [`(${NAMES})`, 'b'],
  H: ['(\\d{1,2})', 'H'],
  k: ['(\\d{1,2})', 'H'],
  h: ['(\\d{1,2})', 'H'],
  I: ['(\\d{1,2})', 'H'],
  l: ['(\\d{1,2})', 'H'],
  i: ['(\\d{1,2})', 'i'],
  s: ['(\\d{1,2})', 's'],
  S: ['(\\d{1,2})', 's'],
  p: ['([ap]m)', 'p'],
};

const pieces = (format: string): string[] => format.match(/%[\s\S]|[^%]+|%$/g) ?? [];

/** The pattern of to_char for a format of DATE_FORMAT. @returns what is not translated as `unknown` */
export function shownPattern(format: string): { pattern: string } | { unknown: string } {
  let pattern = '';
  for (const piece of pieces(format)) {
    const letter = piece.startsWith('%') ? piece[1] : undefined;
    const known = letter === undefined ? undefined : SHOWN[letter];
    if (known) pattern += known;
    else if (letter !== undefined && /[A-Za-z]/.test(letter)) return { unknown: piece };
    // Quotes keep letters from being taken for parts of dates.
    else pattern += `"${(letter ?? piece).replace(/["\\]/g, '\\$&')}"`;
  }
  return { pattern };
}

/** The regular expression for a format of STR_TO_DATE, and what each of its groups is. */
export function readPattern(format: string): { pattern: string; parts: string; hasTime: boolean } | { unknown: string } {
  let pattern = '^\\s*';
  let parts = '';
  for (const piece of pieces(format.replaceAll('%T', '%H:%i:%s').replaceAll('%r', '%h:%i:%s %p'))) {
    const letter = piece.startsWith('%') ? piece[1] : undefined;
    const known = letter === undefined ? undefined : READ[letter];
    if (known) {
      pattern += known[0];
      parts += known[1];
    } else if (letter !== undefined && letter !== '%') return { unknown: piece };
    else pattern += (letter ?? piece).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s*');
  }
  return { pattern, parts, hasTime: /[Hisp]/.test(parts) };
}
