import type { Place, Way } from '../../core/people/find-people.ts';
import { seal, unseal } from '../../domain/sealed.ts';

const PURPOSE = 'a search for people';

/** What is looked for. */
export interface Search {
  words: string;
  /** One way to look at a time, page by page; null shows a few of each. */
  way: Way | null;
  after: Place | null;
}

/** A search for an address, sealed: it can be kept and gone back to, and nobody's name stands in it. */
export const searchPath = (secret: string, { words, way, after }: Search): string =>
  `/console/people/?find=${encodeURIComponent(seal(secret, PURPOSE, JSON.stringify([words, way, after])))}`;

/** @returns null for what was not sealed here */
export function readSearch(secret: string, sealed: unknown): Search | null {
  if (typeof sealed !== 'string' || sealed.length > 8192) return null;
  const text = unseal(secret, PURPOSE, sealed);
  if (text === null) return null;
  const [words, way, after] = JSON.parse(text) as [string, Way | null, Place | null];
  return { words, way, after };
}
