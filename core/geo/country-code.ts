let countries: Map<string, string> | null = null;

/** ISO 3166 code of a country given by its code or one of its English names; empty when it is neither. */
export function countryCode(name: string): string {
  countries ??= countriesByName();
  return countries.get(plain(name)) ?? '';
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
  'Viet Nam': 'VN',
};

/** Codes that are no longer used have a name as well, often that of the country that took their place: those lead to its code. */
function countriesByName(): Map<string, string> {
  const names = (['long', 'short'] as const).map((style) => new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' }));
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const found = new Map(Object.entries(ALSO).map(([name, code]) => [plain(name), code]));
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const called = names.flatMap((each) => each.of(code) ?? []);
    if (called.length === 0) continue;
    const current = Intl.getCanonicalLocales(`und-${code}`)[0]!.slice('und-'.length);
    found.set(code.toLowerCase(), current);
    if (current === code) for (const name of called) found.set(plain(name), code);
  }
  return found;
}

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
