let countries: Map<string, string> | null = null;
let spellings: Map<string, Set<string>> | null = null;

/** ISO 3166 code of a country given by its code or one of its English names; empty when it is neither. */
export function countryCode(name: string): string {
  countries ??= countriesByName();
  return countries.get(plain(name)) ?? '';
}

/** Whatever addresses may call a country that is given by its code or one of its English names, in lower case; nothing of what is neither. */
export function spellingsOf(name: string): string[] {
  spellings ??= spellingsByCode();
  return [...(spellings.get(countryCode(name)) ?? [])];
}

/** Names that are in wide use, as forms and lists of countries have them, beside those of the Unicode data that Node.js brings. */
const ALSO: Record<string, string> = {
  Burma: 'MM',
  'Czech Republic': 'CZ',
  'Democratic Republic of the Congo': 'CD',
  'East Timor': 'TL',
  'Great Britain': 'GB',
  'Holy See': 'VA',
  'Ivory Coast': 'CI',
  Macau: 'MO',
  Macedonia: 'MK',
  'Republic of the Congo': 'CG',
  'Russian Federation': 'RU',
  Swaziland: 'SZ',
  Turkey: 'TR',
  USA: 'US',
  'United States of America': 'US',
  'Viet Nam': 'VN',
};

/** Codes that are no longer used have a name as well, often that of the country that took their place: those lead to its code. */
function countriesByName(): Map<string, string> {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const found = new Map(Object.entries(ALSO).map(([name, code]) => [plain(name), code]));
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const called = namesOf(code);
    if (called.length === 0) continue;
    const current = Intl.getCanonicalLocales(`und-${code}`)[0]!.slice('und-'.length);
    found.set(code.toLowerCase(), current);
    if (current === code) for (const name of called) found.set(plain(name), code);
  }
  return found;
}

function spellingsByCode(): Map<string, Set<string>> {
  countries ??= countriesByName();
  const found = new Map<string, Set<string>>();
  for (const [name, code] of countries) found.set(code, (found.get(code) ?? new Set(namesOf(code).flatMap(writtenWays))).add(name));
  for (const [name, code] of Object.entries(ALSO)) found.get(code)?.add(name.toLowerCase());
  return found;
}

/** The ways in which the data's name of a country is written otherwise; what `plain` makes alike. */
const WAYS: ((name: string) => string)[] = [
  (name) => name.replaceAll('’', "'"),
  (name) => name.replaceAll('&', 'and'),
  (name) => name.replaceAll('st.', 'saint'),
  (name) => name.normalize('NFD').replace(/\p{M}/gu, ''),
];

function writtenWays(name: string): string[] {
  let all = [name.toLowerCase()];
  for (const way of WAYS) all = all.concat(all.map(way));
  return all;
}

const NAMES = (['long', 'short'] as const).map((style) => new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' }));
const namesOf = (code: string): string[] => NAMES.flatMap((each) => each.of(code) ?? []);

/** A name as it is compared: `Saint Lucia` is `St. Lucia`, `Trinidad and Tobago` is `Trinidad & Tobago`, `Reunion` is `Réunion`. */
const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}|\./gu, '')
    .replaceAll('’', "'")
    .replaceAll('&', ' and ')
    .replace(/\s+/g, ' ')
    .replace(/\bsaint\b/g, 'st')
    .replace(/^the |\bthe (?=grenadines)/g, '');
