import { BY_AKID, BY_ID, FULL_NAME, IMPORT_COLUMNS, PHONE_COLUMNS } from './import-line.ts';

// What the columns of somebody's file are, guessed from what they call them. Pure.

/** What else columns are called, without regard to case and to anything but letters and digits. */
const ALSO: Record<string, readonly string[]> = {
  email: ['emailaddress', 'mail', 'mailaddress', 'primaryemail', 'contactemail'],
  name: ['fullname'],
  prefix: ['salutation', 'honorific'],
  first_name: ['first', 'fname', 'givenname', 'forename', 'vorname', 'prenom', 'nombre'],
  middle_name: ['middle', 'mname'],
  last_name: ['last', 'lname', 'surname', 'familyname', 'nachname', 'nom', 'apellido'],
  address1: ['address', 'street', 'streetaddress', 'addressline1', 'mailingaddress'],
  address2: ['addressline2', 'apartment', 'apt', 'unit'],
  city: ['town', 'ort', 'ville', 'ciudad'],
  state: ['stateabbreviation', 'statecode'],
  region: ['province'],
  zip: ['zipcode', 'zip5', 'plz', 'postcode'],
  plus4: ['zip4', 'zipplus4'],
  postal: ['postalcode'],
  country: ['land', 'pays', 'countryname'],
  source: ['sourcecode', 'origin'],
  phone: ['phonenumber', 'telephone', 'tel', 'telefon'],
  mobile_phone: ['mobile', 'mobilenumber', 'cell', 'cellphone', 'handy'],
};

const bare = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const KNOWN = new Map(
  ['email', BY_AKID, FULL_NAME, ...IMPORT_COLUMNS, ...PHONE_COLUMNS].flatMap((column) => [
    [bare(column), column] as const,
    ...(ALSO[column] ?? []).map((each) => [each, column] as const),
  ]),
);

/** For each cell of a header what it may be; empty where nothing comes to mind. Nothing is guessed twice. */
export function guessColumns(header: readonly string[]): string[] {
  const taken = new Set<string>();
  return header.map((cell) => {
    const name = cell.trim();
    const guess = name.toLowerCase() === BY_ID ? BY_ID : /^(user|action)_./i.test(name) ? name : (KNOWN.get(bare(name)) ?? '');
    if (guess === '' || taken.has(guess)) return '';
    taken.add(guess);
    return guess;
  });
}

/** The custom field a column could be, by what it is called; empty where that is nothing to call one. */
export const fieldName = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100);
