// What an address becomes when it is corrected. Pure: what is known of a zip is handed in.

export const ADDRESS_COLUMNS = ['address1', 'address2', 'city', 'state', 'region', 'zip', 'plus4', 'postal', 'country'] as const;
export type AddressColumn = (typeof ADDRESS_COLUMNS)[number];
export type Address = Record<AddressColumn, string>;

/** Where a zip is, roughly in its middle. */
export interface ZipCentroid {
  city: string;
  /** Two letters. */
  state: string;
  latitude: number;
  longitude: number;
}

export const UNITED_STATES = 'United States';

const US_NAMES = /^(us|usa|u\.s\.|u\.s\.a\.|united states( of america)?)$/i;
const ZIP = /^(\d{5})(?:[-\s]?(\d{4}))?$/;

/** Whether a text can be a zip code: five digits, or nine. */
export const isZip = (text: string): boolean => ZIP.test(text.trim());

/** The five digits of a zip code and the four that may follow them; null of a text that can be none. */
export function partsOfZip(text: string): { zip: string; plus4: string } | null {
  const [, zip, plus4 = ''] = ZIP.exec(text.trim()) ?? [];
  return zip ? { zip, plus4 } : null;
}

/** Whether it is an address in the US: it says so, or it names no country and has a zip. */
export function isUnitedStates(address: Pick<Address, 'country' | 'zip'>): boolean {
  const country = address.country.trim();
  return country === '' ? ZIP.test(address.zip.trim()) : US_NAMES.test(country);
}

/** A country as addresses are stored with it: of the names of the United States there is one. */
export const storedCountry = (name: string): string => (US_NAMES.test(name.trim()) ? UNITED_STATES : name);

/** Whether an address is kept as it was first received: one in the US that says where. */
export function isKeptAsReceived(address: Address): boolean {
  const { address1, city, state, zip, postal } = address;
  return isUnitedStates(address) && ([address1, city, state, zip].some((part) => part !== '') || isZip(postal));
}

/**
 * The corrected address; only US ones are changed. The zip comes from the postal code where that was sent and no zip, and is cut into five digits
 * and plus4, the state becomes its two letters, and city and state come from the zip where they are missing, or where the zip is new and they were
 * not sent with it.
 * @param address as it would be stored
 * @param sent which of its parts were sent just now
 * @param previousZip of the stored address, empty on create
 * @param centroidOf what is known of a zip of five digits
 * @param stateCode the two letters of a state's name
 */
export function correctAddress(
  address: Address,
  sent: ReadonlySet<AddressColumn>,
  previousZip: string,
  centroidOf: (zip: string) => ZipCentroid | null,
  stateCode: (name: string) => string | null,
): Address {
  if (!isUnitedStates(address)) return address;
  const corrected: Address = { ...address, country: UNITED_STATES };
  const byPostal = isZip(address.postal) && takesPostal(address, sent);
  const [, zip, plus4] = ZIP.exec((byPostal ? address.postal : address.zip).trim()) ?? [];
  if (zip) corrected.zip = zip;
  if (plus4) corrected.plus4 = plus4;
  const moved = (byPostal || sent.has('zip')) && corrected.zip !== previousZip;
  if (moved && !plus4 && !sent.has('plus4')) corrected.plus4 = '';
  corrected.state = twoLetters(address.state, stateCode);
  const centroid = zip ? centroidOf(zip) : null;
  if (!centroid) return corrected;
  if (corrected.city.trim() === '' || (moved && !sent.has('city'))) corrected.city = centroid.city;
  if (corrected.state === '' || (moved && !sent.has('state'))) corrected.state = centroid.state;
  return corrected;
}

/** Whether the postal code says more than the zip: what was sent before what is stored, and a zip that is emptied by itself stays so. */
const takesPostal = ({ zip }: Address, sent: ReadonlySet<AddressColumn>): boolean =>
  zip.trim() === '' ? sent.has('postal') || !sent.has('zip') : sent.has('postal') && !sent.has('zip');

function twoLetters(state: string, stateCode: (name: string) => string | null): string {
  const name = state.trim();
  if (/^[a-z]{2}$/i.test(name)) return name.toUpperCase();
  return stateCode(name) ?? name;
}

/** Which code of an address cannot be one, where it says that it is in the United States. */
export function notPostal(address: { country?: string; zip?: string; postal?: string }): 'zip' | 'postal' | undefined {
  const { country = '', zip = '' } = address;
  if (country === '' || !isUnitedStates({ country, zip })) return;
  return (['zip', 'postal'] as const).find((code) => address[code] && !isZip(address[code]));
}
