import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ZipCentroid } from '../../domain/people/address.ts';

// Zip centroids and time zones from two packages of public data, loaded on first use: a process that corrects no address does not pay for them.

interface ZipData {
  codes: Record<string, { zip: string; city: string; state: string; country: string; latitude: number; longitude: number } | undefined>;
  states: { full: Record<string, string | undefined>; abbr: Record<string, string | undefined> };
}

const require = createRequire(import.meta.url);
let zips: ZipData | null = null;
let timezones: ((latitude: number, longitude: number) => string) | null = null;

const data = (): ZipData => {
  zips ??= { codes: readCodes(), states: require('zipcodes/lib/states.js') };
  return zips;
};

/** A program of five megabytes, which takes some tenths of a second to be read as one, and 70 MB: what it assigns is JSON. */
function readCodes(): ZipData['codes'] {
  const program = readFileSync(require.resolve('zipcodes/lib/codes.js'), 'utf8');
  const codes: ZipData['codes'] = JSON.parse(/^exports\.codes = (.*);$/m.exec(program)![1]!);
  // A zip of New York has its longitude without the sign, in Central Asia: the centre of the city would be 26 miles from it.
  const slip = codes['10200'];
  if (slip) slip.longitude = -Math.abs(slip.longitude);
  return codes;
}

/** Where a zip of five digits is; null when it is not known. Military addresses have a city and no place on earth. */
export function centroidOf(zip: string): ZipCentroid | null {
  const found = Object.hasOwn(data().codes, zip) ? data().codes[zip] : undefined;
  if (found?.country !== 'US') return null;
  return { city: found.city, state: found.state, latitude: found.latitude, longitude: found.longitude };
}

let centroids: { zip: string; latitude: number; longitude: number }[] | null = null;
let cities: Map<string, string[]> | null = null;

/** Military addresses: no place on earth. */
export const NOWHERE: ReadonlySet<string> = new Set(['AA', 'AE', 'AP']);

/** Every zip of the United States that is a place on earth. */
export function zipCentroids(): readonly { zip: string; latitude: number; longitude: number }[] {
  centroids ??= Object.values(data().codes).flatMap((code) =>
    code?.country === 'US' && !NOWHERE.has(code.state) && /^\d{5}$/.test(code.zip)
      ? [{ zip: code.zip, latitude: code.latitude, longitude: code.longitude }]
      : [],
  );
  return centroids;
}

/** Zips by city, `albany, ny`. */
export function citiesZips(): ReadonlyMap<string, string[]> {
  if (!cities) {
    cities = new Map();
    for (const code of Object.values(data().codes)) {
      if (code?.country !== 'US' || !/^\d{5}$/.test(code.zip)) continue;
      const city = `${code.city}, ${code.state}`.toLowerCase();
      const zips = cities.get(city);
      if (zips) zips.push(code.zip);
      else cities.set(city, [code.zip]);
    }
  }
  return cities;
}

/** Cities that begin with these words, as the targeting takes them: `Albany, NY`. At most so many. */
export function citiesOf(words: string, most: number): string[] {
  const wanted = words.toLowerCase();
  const found: string[] = [];
  for (const [city, zips] of citiesZips()) {
    if (!city.startsWith(wanted)) continue;
    const at = data().codes[zips[0]!]!;
    found.push(`${at.city}, ${at.state}`);
    if (found.length === most) break;
  }
  return found.sort();
}

/** States and provinces by their English names. */
export function states(): { code: string; name: string }[] {
  return Object.entries(data().states.abbr).flatMap(([code, name]) =>
    name && /^[A-Z]{2}$/.test(code) ? [{ code, name: titled(name) }] : [],
  );
}

const titled = (name: string) =>
  name
    .toLowerCase()
    .replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())
    .replace(/ Of /g, ' of ');

/** The two letters of a state's English name in whatever case, or null. */
export function stateCode(name: string): string | null {
  const key = name.toUpperCase();
  return Object.hasOwn(data().states.full, key) ? (data().states.full[key] ?? null) : null;
}

/** IANA name of the time zone at a point, or empty. */
export function timezoneAt(latitude: number, longitude: number): string {
  timezones ??= require('@photostructure/tz-lookup') as (latitude: number, longitude: number) => string;
  try {
    return timezones(latitude, longitude);
  } catch {
    return '';
  }
}
