import { mergeZipRanges } from '../../domain/targeting/zip-ranges.ts';
import { zipsOfCity } from './city-zips.ts';
import { zipCentroids } from './zip-centroids.ts';

const RADIANS = Math.PI / 180;
const EARTH_MILES = 3958.8;

/** Whether a place as `zips` holds it is somewhere: a centroid to measure from. */
export function isSomewhere(place: string): boolean {
  if (place.includes(',')) return zipsOfCity(place).some((zip) => firstFrom(zip) === zip);
  const [from = '', to = from] = place.endsWith('*') ? [place.slice(0, -1), `${place.slice(0, -1)}~`] : place.split('-');
  const first = firstFrom(from);
  return first !== undefined && first <= to;
}

let inOrder: string[] | null = null;

/** The first zip with a centroid at or after a text. */
function firstFrom(text: string): string | undefined {
  inOrder ??= spots()
    .map(({ zip }) => zip)
    .sort();
  return inOrder[firstIndex(inOrder, (zip) => zip >= text)];
}

/** Where in an ordered list a condition begins to hold; its length where it never does. */
function firstIndex<Member>(members: readonly Member[], holds: (member: Member) => boolean): number {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(members[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A centroid as a point of the unit sphere: distances are chords then, and nothing is special at the poles or the date line. */
interface Spot {
  zip: string;
  x: number;
  y: number;
  z: number;
}

let known: Spot[] | null = null;

function spots(): readonly Spot[] {
  known ??= zipCentroids().map(({ zip, latitude, longitude }) => ({
    zip,
    x: Math.cos(latitude * RADIANS) * Math.cos(longitude * RADIANS),
    y: Math.cos(latitude * RADIANS) * Math.sin(longitude * RADIANS),
    z: Math.sin(latitude * RADIANS),
  }));
  return known;
}

/** Whether a zip lies in one of the places, which may be a hundred thousand. */
function isIn(places: readonly string[], ofCities = zipsOfCities(places)): (zip: string) => boolean {
  const zips = new Set([...places, ...ofCities]);
  const beginnings = new Set(places.filter((place) => place.endsWith('*')).map((place) => place.slice(0, -1)));
  const lengths = [...new Set([...beginnings].map(({ length }) => length))];
  const ranges = mergeZipRanges(places);
  const inRange = (zip: string) => (ranges[firstIndex(ranges, ([, to]) => to >= zip)]?.[0] ?? '~') <= zip;
  return (zip) => zips.has(zip) || lengths.some((length) => beginnings.has(zip.slice(0, length))) || inRange(zip);
}

const zipsOfCities = (places: readonly string[]): string[] => [
  ...new Set(places.flatMap((place) => (place.includes(',') ? zipsOfCity(place) : []))),
];

/** The middle of the zips of a place, on the unit sphere; null when none of them is on the map. */
export function centreOf(place: string): { x: number; y: number; z: number } | null {
  const belongs = isIn([place]);
  const zips = spots().filter(({ zip }) => belongs(zip));
  const [x, y, z] = (['x', 'y', 'z'] as const).map((axis) => zips.reduce((sum, spot) => sum + spot[axis], 0)) as [number, number, number];
  const length = Math.hypot(x, y, z);
  return length > 0 ? { x: x / length, y: y / length, z: z / length } : null;
}

/** Cells are no smaller than this (four miles), so that their numbers stay exact. */
const SMALLEST_CELL = 0.001;

/**
 * Zips of places as the targeting field `zips` holds them, and all others whose centre lies within `miles` of the centre of one of these.
 * @param miles null: the places alone
 */
export function zipsAround(places: readonly string[], miles: number | null): string[] {
  const ofCities = zipsOfCities(places);
  const belongs = isIn(places, ofCities);
  const from = spots().filter(({ zip }) => belongs(zip));
  const own = new Set([...from.map(({ zip }) => zip), ...ofCities]);
  if (miles === null) return [...own];
  // Who is within reach of a point is in its cell or in one beside it, when cells are as wide as the reach.
  const reach = 2 * Math.sin(miles / (2 * EARTH_MILES));
  const width = Math.max(reach, SMALLEST_CELL);
  const span = Math.ceil(2 / width) + 4;
  const cell = (x: number, y: number, z: number) => (x * span + y) * span + z;
  const at = (coordinate: number) => Math.floor((coordinate + 1) / width) + 1;
  const cells = Map.groupBy(from, ({ x, y, z }) => cell(at(x), at(y), at(z)));
  const isNear = (spot: Spot): boolean => {
    for (let x = at(spot.x) - 1; x <= at(spot.x) + 1; x++) {
      for (let y = at(spot.y) - 1; y <= at(spot.y) + 1; y++) {
        for (let z = at(spot.z) - 1; z <= at(spot.z) + 1; z++) {
          for (const other of cells.get(cell(x, y, z)) ?? []) {
            if ((spot.x - other.x) ** 2 + (spot.y - other.y) ** 2 + (spot.z - other.z) ** 2 <= reach ** 2) return true;
          }
        }
      }
    }
    return false;
  };
  for (const spot of spots()) if (!own.has(spot.zip) && isNear(spot)) own.add(spot.zip);
  return [...own];
}

/** The same, where one question has it several times: of a hundred thousand places each time takes some tenths of a second. */
export function zipsAroundOnce(): typeof zipsAround {
  const found = new Map<string, string[]>();
  return (places, miles) => {
    const asked = `${miles} ${places.join(';')}`;
    const known = found.get(asked) ?? zipsAround(places, miles);
    found.set(asked, known);
    return known;
  };
}
