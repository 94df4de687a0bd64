import { zipsOfCity } from './city-zips.ts';
import { stateCode } from './zip-centroids.ts';

const FORMS = 'five digits (10001), the beginning of a zip with a star (100*), a range (10001-10099), or a city (Albany, NY)';

/** Whether a place is written as a city, known or not. */
export const namesCity = (text: string): boolean => /^\p{L}/u.test(text) && text.length <= 100;

/**
 * A place in the United States as people write it, as targeting keeps it.
 * @param must `must be` or `must hold`, for what is thrown
 * @throws Error
 */
export function readPlace(text: string, must: (forms: string) => string = (forms) => `must be ${forms}`): string {
  const no = (what: string) => new Error(`${must(FORMS)}${what}${text.slice(0, 100)}`);
  if (/^\d{5}-\d{4}$/.test(text)) return text.slice(0, 5);
  if (namesCity(text)) {
    const city = cityOf(text);
    if (city === null) throw no('; there is no city ');
    return city;
  }
  const [, from, to] = /^(\d{5})\s*-\s*(\d{5})$/.exec(text) ?? [];
  if (from && to) return from <= to ? `${from}-${to}` : `${to}-${from}`;
  if (!/^(\d{5}|\d{1,4}\*)$/.test(text)) throw no(', not ');
  return text;
}

/** `Albany, NY`, `Albany NY` or `Albany, New York`. */
function cityOf(text: string): string | null {
  const [, city = '', named = ''] = /^([^,]*[^,\s])\s*,\s*([\p{L} .]+)$/u.exec(text) ?? /^([^,]*\S)\s+(\p{L}{2})$/u.exec(text) ?? [];
  const state = named.replaceAll('.', '');
  const code = /^[A-Za-z]{2}$/.test(state) ? state.toUpperCase() : stateCode(state.trim());
  const place = `${city.replace(/\s+/g, ' ')}, ${code}`;
  return zipsOfCity(place).length > 0 ? place : null;
}
