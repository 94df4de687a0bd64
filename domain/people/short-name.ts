import { createHash } from 'node:crypto';
import { plainLetters } from '../plain-letters.ts';

/**
 * What a page is called in addresses, by its title; empty where that has neither letter nor number. Letters and numbers that cannot stand there, of another script say, would all be left out:
 * a few signs of the title's own stand for them, so that “東京 2026” and “大阪 2026” are two.
 */
export function shortName(title: string): string {
  const plain = plainLetters(title).toLowerCase();
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100);
  if (!/[^\P{L}a-z]|[^\P{N}0-9]/u.test(plain)) return slug;
  return [slug || 'import', createHash('sha256').update(title.normalize('NFC')).digest('hex').slice(0, 8)].join('-');
}
