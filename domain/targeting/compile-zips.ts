import { WITH_AMERICAN_ZIPS } from '../people/american-zips.ts';
import { joinSql, type Sql, sql } from '../sql.ts';
import { mergeZipRanges, zipsBetween } from './zip-ranges.ts';

/** More ranges than this are taken as the zips in them: one look-up for each person instead of a comparison with each range. */
const MANY_RANGES = 10;

/**
 * That somebody `u` lives in one of the places of a `zips` field.
 * @param zipsAround of AudienceContext
 */
export function zipCondition(
  zips: readonly string[],
  miles: number | null,
  zipsAround: (places: readonly string[], miles: number | null) => string[],
): Sql {
  const cities = zips.filter((zip) => zip.includes(','));
  const exact = zips.filter((zip) => /^\d{5}$/.test(zip));
  const beginnings = Map.groupBy(
    zips.filter((zip) => zip.endsWith('*')).map((zip) => zip.slice(0, -1)),
    ({ length }) => length,
  );
  const ranges = mergeZipRanges(zips);
  if (ranges.length > MANY_RANGES) exact.push(...ranges.splice(0).flatMap(zipsBetween));
  const written = joinSql(
    [
      sql`left(u.zip, 5) = any(${exact}::text[])`,
      ...[...beginnings].map(([length, texts]) => sql`left(u.zip, ${length}::int) = any(${texts}::text[])`),
      // As texts of five digits: a zip that is something else is in no range.
      ...ranges.map(([from, to]) => sql`(u.zip ~ '^\\d{5}' and left(u.zip, 5) collate "C" between ${from} and ${to})`),
    ].map((condition) => sql`(${condition})`),
    ' or ',
  );
  if (!cities.length && miles === null) return written;
  // What is found on the map is in the United States: other countries have the same numbers.
  const american = sql`lower(u.country) = any(${WITH_AMERICAN_ZIPS}::text[])`;
  const onMap = sql`left(u.zip, 5) = any(${zipsAround(miles === null ? cities : zips, miles)}::text[])`;
  return miles === null ? sql`(${written}) or (${onMap} and ${american})` : sql`((${written}) or ${onMap}) and ${american}`;
}
