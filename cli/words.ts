import { UsageError } from './terminal.ts';

/** The one word a command takes. @throws UsageError with `otherwise` */
export function oneWord(words: string[], otherwise: string): string {
  if (words.length !== 1 || !words[0]) throw new UsageError(otherwise);
  return words[0];
}

/** @throws UsageError */
export function idIn(word: string): number {
  if (!/^[1-9]\d{0,9}$/.test(word)) throw new UsageError(`${word} is not an id`);
  return Number(word);
}
