import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import type { Pool } from '../../db/driver.ts';
import { FileError, InputError } from '../../domain/errors.ts';
import type { GeoKind } from '../../domain/words.ts';
import { CountedCells } from '../csv-cells.ts';
import { noteEventsByZip, placeEventsAnew } from './relocate-events.ts';

/** What a relationship file says and how: recognised by its header. */
interface Format {
  kind: GeoKind;
  /** Columns the header must have, in lower case. */
  needs: string[];
  /** Zip and place of a line, or null for a line that says nothing. */
  read(line: Record<string, string>): { zip: string; place: string } | null;
}

const padded = (number: string, digits: number) => (/^\d+$/.test(number) ? number.padStart(digits, '0') : null);
const district = (state: string, number: string, digits: number) => {
  const code = padded(number, digits);
  return code && /^[A-Z]{2}$/i.test(state) ? `${state.toUpperCase()}_${code}` : null;
};
const from = (zip: string, place: string | null) => (/^\d{5}$/.test(zip) && place ? { zip, place } : null);

/** See docs/users.md, "Places". */
const GEO_FORMATS: Format[] = [
  {
    kind: 'us_district',
    needs: ['state_abbr', 'zcta', 'cd'],
    read: ({ state_abbr: state = '', zcta = '', cd = '' }) => from(zcta, district(state, cd, 2)),
  },
  {
    kind: 'us_state_senate',
    needs: ['zip', 'state', 'senate_district'],
    read: ({ zip = '', state = '', senate_district: number = '' }) => from(zip, district(state, number, 3)),
  },
  {
    kind: 'us_state_district',
    needs: ['zip', 'state', 'house_district'],
    read: ({ zip = '', state = '', house_district: number = '' }) => from(zip, district(state, number, 3)),
  },
  { kind: 'us_county', needs: ['zip', 'county'], read: ({ zip = '', county = '' }) => from(zip, county.trim() || null) },
];

const BATCH = 5_000;

/** The file cannot be loaded; the message says why. */
export class GeoFileError extends FileError {}

export interface Loaded {
  kind: GeoKind;
  rows: number;
  /** Lines that say nothing: a zip that is none, a place that is empty. */
  skipped: number;
  /** Zips that touch several places and so decide none. */
  undecided: number;
}

/**
 * Loads a CSV file of which zips touch which districts or counties, in place of what was loaded of that kind before: all of it or nothing. Users who
 * are there already are placed by it with `relocateUsers`; events are at once.
 * @throws GeoFileError for a file that is none of the known formats, or not in UTF-8
 */
export async function loadGeoFile(pool: Pool, file: string): Promise<Loaded> {
  const handle = await open(file).catch((error: Error) => {
    throw new GeoFileError(error.message);
  });
  const client = await pool.connect();
  let format: Format | undefined;
  let rows = 0;
  let skipped = 0;
  let batch: { zip: string; place: string }[] = [];
  const flush = async () => {
    const { rowCount } = await client.query(
      `insert into geo_zipplace (zip, kind, place) select zip, $1, place from unnest($2::text[], $3::text[]) as x (zip, place)
       on conflict do nothing`,
      [format!.kind, batch.map(({ zip }) => zip), batch.map(({ place }) => place)],
    );
    rows += rowCount ?? 0;
    batch = [];
  };
  try {
    await client.query('begin');
    const lines = parse({
      bom: true,
      trim: true,
      skip_empty_lines: true,
      columns: (header: string[]) => header.map((name) => name.toLowerCase()),
    });
    // Errors of each come out of the parser below.
    pipeline(handle.createReadStream(), new CountedCells(), lines, () => {});
    for await (const line of lines as AsyncIterable<Record<string, string>>) {
      if (!format) {
        const names = Object.keys(line);
        format = GEO_FORMATS.find(({ needs }) => needs.every((name) => names.includes(name)));
        if (!format)
          throw new GeoFileError(
            `The columns ${names.join(', ').slice(0, 200)} are none of: ${GEO_FORMATS.map(({ needs }) => needs.join(' ')).join('; ')}`,
          );
        await noteEventsByZip(client, format.kind);
        await client.query('delete from geo_zipplace where kind = $1', [format.kind]);
      }
      const found = format.read(line);
      if (found) batch.push(found);
      else skipped++;
      if (batch.length >= BATCH) await flush();
    }
    if (!format) throw new GeoFileError('The file has no lines.');
    await flush();
    await placeEventsAnew(client, format.kind);
    const undecided = await client.query<{ n: number }>(
      'select count(*)::int as n from (select zip from geo_zipplace where kind = $1 group by zip having count(*) > 1) several',
      [format.kind],
    );
    await client.query('commit');
    return { kind: format.kind, rows, skipped, undecided: undecided.rows[0]!.n };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (error instanceof InputError) throw new GeoFileError(`${file}: ${Object.values(error.fields).flat().join(' ')}`);
    if ((error as { code?: string }).code?.startsWith('CSV_')) throw new GeoFileError((error as Error).message);
    throw error;
  } finally {
    await handle.close().catch(() => {});
    client.release();
  }
}
