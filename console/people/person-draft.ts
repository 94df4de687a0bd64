import { isDeepStrictEqual } from 'node:util';
import { correctSent } from '../../core/geo/place-user.ts';
import { ADDRESS_COLUMNS, type Address } from '../../domain/people/address.ts';
import { keptAddress } from '../../mail/address.ts';
import { type PhoneRow, phoneWords } from './phones-part.ts';

/** What of a person is one text, and what it is called. */
export const TEXTS = {
  email: 'Email',
  prefix: 'Prefix',
  first_name: 'First name',
  middle_name: 'Middle name',
  last_name: 'Last name',
  suffix: 'Suffix',
  address1: 'Street',
  address2: 'Street, second line',
  zip: 'Zip',
  city: 'City',
  state: 'State',
  region: 'Region',
  postal: 'Postal code abroad',
  country: 'Country',
  source: 'First came by',
} as const;
export type TextName = keyof typeof TEXTS;

/** What the form of a person holds. Custom fields: a value a line. */
export interface Draft {
  texts: Record<TextName, string>;
  lang: string;
  fields: Record<string, string>;
  /** Null for an account that may not read them: they stay. */
  phones: PhoneRow[] | null;
}

/** Whether what is stored is what became of a form once it was saved: addresses were corrected by it, phones were given numbers. */
export function isSaved(stored: Draft, sent: Draft): boolean {
  const address = Object.fromEntries(ADDRESS_COLUMNS.map((column) => [column, (sent.texts as Partial<Address>)[column] ?? ''])) as Address;
  // The form does not know any more what of it was new then: as it is corrected by itself, and with a zip that was new.
  const corrected = [correctSent(address, address), correctSent({ ...address, zip: '' }, { zip: address.zip })].map((each) => each.address);
  const sameText = (name: TextName) => {
    const may = [sent.texts[name], ...corrected.map((each) => (each as Partial<Record<TextName, string>>)[name])];
    return may.includes(stored.texts[name]) || (name === 'email' && keptAddress(sent.texts.email) === stored.texts.email);
  };
  return (
    (Object.keys(TEXTS) as TextName[]).every(sameText) &&
    stored.lang === sent.lang &&
    isDeepStrictEqual(filled(stored.fields), filled(sent.fields)) &&
    isDeepStrictEqual(numberless(stored.phones), numberless(sent.phones))
  );
}

const filled = (fields: Draft['fields']): [string, string][] =>
  Object.entries(fields)
    .map(([name, value]): [string, string] => [name, linesOf(value).join('\n')])
    .filter(([, value]) => value)
    .sort();

/** The values of a custom field that stand in a text. */
export const linesOf = (value: string): string[] => value.split('\n').filter((each) => each.trim());

const numberless = (phones: readonly PhoneRow[] | null): string[] | undefined => phones?.map((phone) => phoneWords([phone])).sort();
