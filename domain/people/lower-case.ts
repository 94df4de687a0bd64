/**
 * A text in lower case as the database has it, sign by sign. That of JavaScript looks at what stands beside a letter (`Σ` at the end of a word) and makes two of one (`İ`):
 * by it an address in capitals would be another one here than there.
 */
export const lowerCase = (text: string): string =>
  /^\p{ASCII}*$/u.test(text)
    ? text.toLowerCase()
    : Array.from(text, (sign) => String.fromCodePoint(sign.toLowerCase().codePointAt(0)!)).join('');
