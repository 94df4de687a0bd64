import type { Sql } from '../../db/sql.ts';
import { likeWords } from '../../domain/like.ts';
import { citiesOf, states } from '../geo/zip-centroids.ts';

/** A place as a field of the targeting takes it, and what people call it. */
export interface PlaceChoice {
  value: string;
  name: string;
}

/** Rows looked at of the places of people, where no index leads to the values: of more, a sample of the pages they are stored on. */
const LOOKED_AT = 30_000;
/** More values than a column of places has, unless somebody wrote anything into it: one look into the index each. */
const MOST_VALUES = 1000;

/** The values of an indexed column of people, one look into the index each, however many people there are. */
const byIndex = (column: 'country' | 'state' | 'region') => `
  with recursive place as (
    (select ${column} as value, 1 as n from core_user where ${column} > '' order by ${column} limit 1)
    union all
    select next.value, place.n + 1 from place,
      lateral (select ${column} as value from core_user where ${column} > place.value order by ${column} limit 1) next
    where place.n < ${MOST_VALUES})
  select value from place`;

/** Districts and counties: those that were loaded, and those that came with people, of whom a sample is looked at where they are many. */
const located = (column: string) => `
  select place as value from geo_zipplace where kind = '${column}'
  union select ${column} from core_location tablesample system ($3) where ${column} <> ''`;

const VALUES = {
  countries: byIndex('country'),
  regions: byIndex('region'),
  counties: located('us_county'),
  cds: located('us_district'),
  state_house_districts: located('us_state_district'),
  state_senate_districts: located('us_state_senate'),
} as const;

export type SearchedPlaces = 'states' | 'zips' | keyof typeof VALUES;

/**
 * Places in whose name these words stand, those that begin with them first: what there is among the people, or was loaded; of zips the cities.
 * @returns one more than `most` where there are more
 */
export async function searchPlaces(sql: Sql, field: SearchedPlaces, words: string, most: number): Promise<PlaceChoice[]> {
  if (field === 'zips') return citiesOf(words, most + 1).map((value) => ({ value, name: value }));
  if (field === 'states') return searchStates(sql, words, most);
  const samples = VALUES[field].includes('$3');
  const rows = await sql<{ value: string }>(
    `select value from (select distinct value from (${VALUES[field]}) place) found
     where value ilike $1 order by not starts_with(lower(value), lower($2)), value limit ${most + 1}`,
    [likeWords(words), words, ...(samples ? [await percentLookedAt(sql)] : [])],
  );
  return rows.map(({ value }) => ({ value, name: value }));
}

/** States by their code or name: those of the United States, and what else people have that the field can take. */
async function searchStates(sql: Sql, words: string, most: number): Promise<PlaceChoice[]> {
  const rows = await sql<{ value: string }>(
    `select distinct upper(value) as value from (${byIndex('state')}) place where value ~* '^[a-z]{2}$'`,
  );
  const names = new Map([
    ...rows.map(({ value }) => [value, value] as const),
    ...states().map(({ code, name }) => [code, `${code} · ${name}`] as const),
  ]);
  const wanted = words.toLowerCase();
  const all = [...names].map(([value, name]) => ({ value, name })).filter(({ name }) => name.toLowerCase().includes(wanted));
  const rank = ({ value, name }: PlaceChoice) =>
    value.toLowerCase() === wanted
      ? 0
      : name
            .toLowerCase()
            .split(' · ')
            .some((each) => each.startsWith(wanted))
        ? 1
        : 2;
  return all.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)).slice(0, most + 1);
}

/** How much of core_location is a sample of LOOKED_AT rows, by what the planner knows of its size. */
async function percentLookedAt(sql: Sql): Promise<number> {
  const [row] = await sql<{ rows: number }>("select reltuples::float8 as rows from pg_class where oid = 'core_location'::regclass");
  return Math.min(100, (100 * LOOKED_AT) / Math.max(row?.rows ?? 0, 1));
}
