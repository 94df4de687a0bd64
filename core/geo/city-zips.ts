import { citiesZips } from './zip-centroids.ts';

/** How the public data spells out what people shorten: `Saint Louis, MO`. */
const SPELLED: Record<string, string> = { st: 'saint', ste: 'sainte', ft: 'fort', mt: 'mount' };

let byLetters: Map<string, string[]> | null = null;

/** The zips of a city, `Albany, NY`, in whatever case, and with the points, hyphens and apostrophes the data leaves out, the same list for each; none when it is not known. */
export function zipsOfCity(place: string): readonly string[] {
  const cities = citiesZips();
  const exact = cities.get(place.toLowerCase());
  if (exact) return exact;
  if (!byLetters) {
    byLetters = new Map();
    for (const [city, zips] of cities) {
      const letters = lettersOf(city);
      const others = byLetters.get(letters);
      byLetters.set(letters, others ? [...others, ...zips] : zips);
    }
  }
  return byLetters.get(lettersOf(place)) ?? [];
}

function lettersOf(place: string): string {
  const plain = place.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  return plain.replace(/\b(?:ste?|ft|mt)\b/g, (word) => SPELLED[word]!).replace(/[^\p{L}\p{N},]/gu, '');
}
