/**
 * A text with its letters taken apart and their marks gone: `é` is `e`. Marks that stand by themselves go first: putting many of them in order takes the square of
 * how many there are.
 */
export const plainLetters = (text: string): string =>
  text
    .replace(/\p{M}+/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
