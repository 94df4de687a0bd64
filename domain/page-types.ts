import { PAGE_TYPES, type PageType } from './words.ts';

/** The name of a type as an action shows it: `Petition`. */
export const titleOf = (type: PageType): string => TWO_WORDS[type] ?? type.charAt(0).toUpperCase() + type.slice(1);

const TWO_WORDS: Partial<Record<PageType, string>> = { eventcreate: 'EventCreate', eventsignup: 'EventSignup' };

/** A type as clients write it in filters, `Petition` or `petition`. @throws Error */
export function readType(text: string): PageType {
  const type = PAGE_TYPES.find((each) => each === text.trim().toLowerCase());
  if (!type) throw new Error(`must be one of ${PAGE_TYPES.join(', ')}`);
  return type;
}
