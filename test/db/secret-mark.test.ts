import { deepEqual, equal, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnv } from '../../config/env.ts';
import { lookAtDatabase } from '../../core/health/database.ts';
import { createPool } from '../../db/pool.ts';
import { keepSecretMark, whyOtherSecret } from '../../db/secret-mark.ts';
import { runProgram } from '../../embedded/programs.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

const [KEY, OTHER] = ['a secret key of an installation', 'the secret key of another one'];

describe('the SECRET_KEY a platform was prepared with', () => {
  it('is known again, and says nothing of itself', async () => {
    const pool = createPool(await createDatabase(), 1);
    atEnd(() => pool.end());
    equal(await whyOtherSecret(pool, KEY), null);
    deepEqual([await keepSecretMark(pool, KEY), await keepSecretMark(pool, KEY)], [false, false]);
    equal(await whyOtherSecret(pool, KEY), null);
    match((await whyOtherSecret(pool, OTHER))!, /^SECRET_KEY is another than the one of the last migration/);
    equal(await keepSecretMark(pool, OTHER), true);
    equal(await whyOtherSecret(pool, OTHER), null);
    const { rows } = await pool.query('select mark from secret_mark');
    deepEqual([rows.length, rows[0].mark.includes(OTHER)], [1, false]);
  });

  it('is noted by the migration, which says where it is new; doctor says wrong of a process that has another', async () => {
    const [url, place] = [await createDatabase(), await createNamespace()];
    const migrate = async (SECRET_KEY: string) => {
      const folder = dataFolder();
      const services = { DATABASE_URL: url, TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE: place.namespace };
      await runProgram('migrate', { logFolder: folder, env: { ...process.env, ...services, SECRET_KEY, DATA_DIR: folder } });
      return readFileSync(join(folder, 'migrate.log'), 'utf8');
    };
    const found = async (SECRET_KEY: string) => {
      const { state, says } = (await lookAtDatabase(url, readEnv({ SECRET_KEY }))).find(({ part }) => part === 'secret key') ?? {};
      return [state, says?.split(':')[0]];
    };
    equal(/SECRET_KEY is another/.test(await migrate(KEY)), false);
    deepEqual(await found(KEY), [undefined, undefined]);
    deepEqual(await found(OTHER), ['wrong', 'SECRET_KEY is another than the one of the last migration']);
    match(await migrate(OTHER), /SECRET_KEY is another than before/);
    deepEqual((await found(KEY))[0], 'wrong');
    equal(/SECRET_KEY is another/.test(await migrate(OTHER)), false);
  });
});
