import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { GeoFileError, loadGeoFile } from '../../../core/geo/load.ts';
import { relocateUsers } from '../../../core/geo/relocate-users.ts';
import { FOLDER } from '../../support/congress.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { createDatabase } from '../../support/database.ts';

const WHOLE_COUNTRY = join(FOLDER, 'zip-to-congressional-district.csv');
const SAMPLE = 'state_fips,state_abbr,zcta,cd\n01,AL,35004,3\n01,AL,35005,6\n01,AL,35005,7\n02,AK,99501,0\n11,DC,,98\n';

describe('loading places of zips', () => {
  let pool: pg.Pool;
  let folder: string;
  const load = (name: string, text: string | Buffer) => {
    writeFileSync(join(folder, name), text);
    return loadGeoFile(pool, join(folder, name));
  };
  const places = async (kind: string) =>
    (await pool.query('select zip, place from geo_zipplace where kind = $1 order by 1, 2', [kind])).rows.map(
      ({ zip, place }) => `${zip} ${place}`,
    );

  before(async () => {
    folder = dataFolder();
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 2 });
  });
  after(() => pool.end());

  it('reads congressional districts, state districts and counties', async () => {
    assert.deepEqual(await load('cd.csv', SAMPLE), { kind: 'us_district', rows: 4, skipped: 1, undecided: 1 });
    assert.deepEqual(await places('us_district'), ['35004 AL_03', '35005 AL_06', '35005 AL_07', '99501 AK_00']);
    await load('senate.csv', 'zip,state,senate_district\n10001,NY,47\n');
    await load('house.csv', 'zip,state,house_district\n10001,ny,75\n');
    await load('county.csv', '\uFEFFZIP,County\n10001,"New York"\n');
    assert.deepEqual(
      [await places('us_state_senate'), await places('us_state_district'), await places('us_county')],
      [['10001 NY_047'], ['10001 NY_075'], ['10001 New York']],
    );
  });

  it('replaces what was there, and leaves it alone when the file is none', async () => {
    await load('cd.csv', SAMPLE.split('\n').slice(0, 2).join('\n'));
    assert.deepEqual(await places('us_district'), ['35004 AL_03']);
    for (const text of ['', 'a,b\n1,2\n', 'state_abbr,zcta,cd\nAL,35004,1\nAL,"35']) {
      await assert.rejects(load('bad.csv', text), GeoFileError);
    }
    await assert.rejects(loadGeoFile(pool, join(folder, 'absent.csv')), GeoFileError);
    const latin = Buffer.from('zip,county\n35004,Autauga\n87001,Doña Ana\n', 'latin1');
    await load('county.csv', 'zip,county\n35004,Kept\n');
    await assert.rejects(
      load('latin.csv', latin),
      (error: Error) => error instanceof GeoFileError && /latin\.csv.*not in UTF-8.*line 3/.test(error.message),
    );
    assert.deepEqual(await places('us_county'), ['35004 Kept']);
    assert.deepEqual(await places('us_district'), ['35004 AL_03']);
  });

  it('places anew everybody whose zip lies elsewhere now, and nobody else', async () => {
    await load('cd.csv', 'state_abbr,zcta,cd\nAL,35004,3\nAL,35005,6\nAL,35005,7\nAL,35006,1\n');
    const { rows } = await pool.query<{ id: number }>(
      `insert into core_user (email, zip, country) select 'geo' || n || '@example.org', zip, country
       from unnest(array['35004', '35005', '35006', '35007', '35004'], array['United States', 'United States', 'United States', 'United States', 'France'])
         with ordinality x (zip, country, n) returning id`,
    );
    await pool.query(
      `insert into core_location (user_id, country_code, us_district, us_county, updated_at)
       select id, code, district, 'Kept', '2020-01-01' from unnest($1::int[], array['US', 'US', 'US', 'US', 'FR'], array['', 'AL_06', 'AL_01', 'AL_02', '']) x (id, code, district)`,
      [rows.map(({ id }) => id)],
    );
    assert.equal(await relocateUsers(pool, 'us_district'), 3);
    const placed = await pool.query(
      `select us_district, us_county, updated_at > '2021-01-01' as changed from core_location order by user_id`,
    );
    assert.deepEqual(
      placed.rows.map(({ us_district: district, us_county: county, changed }) => [district, county, changed]),
      [
        ['AL_03', 'Kept', true],
        ['', 'Kept', true],
        ['AL_01', 'Kept', false],
        ['', 'Kept', true],
        ['', 'Kept', false],
      ],
    );
    assert.equal(await relocateUsers(pool, 'us_district'), 0);
  });

  it('places events anew that are where their zip is, and leaves those where they are of which somebody has said it', async () => {
    await load('cd.csv', 'state_abbr,zcta,cd\nAL,35004,3\nAL,35006,1\n');
    await pool.query(`insert into events_campaign (id, name) values (1, 'canvass')`);
    await pool.query(
      `insert into events_event (campaign_id, title, zip, country, us_district) values (1, 'a moved', '35004', '', 'AL_03'), (1, 'b new', '35005-1234', 'United States', ''),
         (1, 'c said', '35004', '', 'AL_09'), (1, 'd gone', '35006', 'USA', 'AL_01'), (1, 'e abroad', '35005', 'Italy', ''), (1, 'f no zip', '', '', 'AL_03')`,
    );
    await load('cd.csv', 'state_abbr,zcta,cd\nAL,35004,5\nAL,35005,6\n');
    await load('county.csv', 'zip,county\n35004,Autauga\n');
    const { rows } = await pool.query('select title, us_district, us_county from events_event order by title');
    assert.deepEqual(rows.map(Object.values), [
      ['a moved', 'AL_05', 'Autauga'],
      ['b new', 'AL_06', ''],
      ['c said', 'AL_09', 'Autauga'],
      ['d gone', '', ''],
      ['e abroad', '', ''],
      ['f no zip', 'AL_03', ''],
    ]);
  });

  it('takes the real file of the whole country', async () => {
    const file = existsSync(WHOLE_COUNTRY) ? WHOLE_COUNTRY : join(folder, 'cd.csv');
    if (file !== WHOLE_COUNTRY) await load('cd.csv', SAMPLE);
    const loaded = await loadGeoFile(pool, file);
    assert.equal(loaded.kind, 'us_district');
    assert.ok(loaded.rows > (file === WHOLE_COUNTRY ? 40_000 : 3));
  });
});
