import { citiesZips, zipCentroids } from './zip-centroids.ts';

interface Point {
  zip: string;
  latitude: number;
  longitude: number;
}

const RADIANS = Math.PI / 180;
const EARTH_MILES = 3958.8;

/** Great-circle miles. */
export function milesBetween(one: Omit<Point, 'zip'>, other: Omit<Point, 'zip'>): number {
  const half = (a: number, b: number) => Math.sin(((a - b) * RADIANS) / 2) ** 2;
  const chord =
    half(one.latitude, other.latitude) +
    Math.cos(one.latitude * RADIANS) * Math.cos(other.latitude * RADIANS) * half(one.longitude, other.longitude);
  return 2 * EARTH_MILES * Math.asin(Math.sqrt(Math.min(1, chord)));
}

/** The zips of a city, `Albany, NY`, in whatever case; none when it is not known. */
export const zipsOfCity = (place: string): readonly string[] => citiesZips().get(place.toLowerCase()) ?? [];

/** Whether a place as `zips` holds it is somewhere: a centroid to measure from. */
export const isSomewhere = (place: string): boolean => pointsOf([place]).length > 0;

function pointsOf(places: readonly string[]): Point[] {
  const all = zipCentroids();
  const zips = new Set(places.flatMap((place) => (place.includes(',') ? zipsOfCity(place) : /^\d{5}$/.test(place) ? [place] : [])));
  const prefixes = places.filter((place) => place.endsWith('*')).map((place) => place.slice(0, -1));
  const ranges = places.filter((place) => /^\d{5}-\d{5}$/.test(place)).map((place) => place.split('-') as [string, string]);
  return all.filter(
    ({ zip }) =>
      zips.has(zip) || prefixes.some((prefix) => zip.startsWith(prefix)) || ranges.some(([from, to]) => from <= zip && zip <= to),
  );
}

/**
 * Zips of places as the targeting field `zips` holds them, and all others whose centre lies within `miles` of the centre of one of these.
 * @param miles null: the places alone
 */
export function zipsAround(places: readonly string[], miles: number | null): string[] {
  const from = pointsOf(places);
  const own = [...from.map(({ zip }) => zip), ...places.filter((place) => place.includes(',')).flatMap(zipsOfCity)];
  if (miles === null) return [...new Set(own)];
  // By bands of a degree of latitude: only three or so have to be looked at for each zip.
  const bands = new Map<number, Point[]>();
  for (const point of from) bands.set(Math.floor(point.latitude), [...(bands.get(Math.floor(point.latitude)) ?? []), point]);
  const reach = Math.ceil(miles / 68);
  const near = zipCentroids().filter((point) => {
    const band = Math.floor(point.latitude);
    for (let at = band - reach; at <= band + reach; at++) {
      if (bands.get(at)?.some((other) => milesBetween(point, other) <= miles)) return true;
    }
    return false;
  });
  return [...new Set([...own, ...near.map(({ zip }) => zip)])];
}
