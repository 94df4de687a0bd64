import { deepEqual, ok, rejects, throws } from 'node:assert/strict';
import { prepareStatement } from '../../core/reports/prepare.ts';
import { streamReport } from '../../core/reports/report-reader.ts';
import { newConnection } from '../../db/driver.ts';
import { createPool } from '../../db/pool.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { rowFormat } from '../../domain/reports/formats.ts';
import { connectOrm } from '../../entities/orm.ts';
import { createDatabase } from '../support/database.ts';

describe('options in the address of a database', () => {
  it('are those of every connection, and all of them in UTC', async () => {
    const url = await createDatabase();
    const connection = newConnection(url);
    await connection.connect();
    await connection.query(`alter database ${new URL(url).pathname.slice(1)} set timezone = 'Asia/Kolkata'`);
    await connection.end();
    const given = `${url}?options=-c%20work_mem%3D7MB`;
    const asked = `select current_setting('work_mem') as work_mem, current_setting('timezone') as timezone`;
    const pool = createPool(given, 1);
    const orm = await connectOrm({ DATABASE_URL: given, DATABASE_POOL: 1 });
    const wanted = [{ work_mem: '7MB', timezone: 'UTC' }];
    deepEqual((await pool.query(asked)).rows, wanted);
    deepEqual(await orm.em.fork().execute(asked), wanted);
    await orm.close(true);
    await pool.end();
  });

  it('are refused under the name of the setting they stand in', () => {
    const given = { REPORT_DATABASE_URL: 'postgresql://someone@one/campaign?ssl=require', SECRET_KEY: 'a secret', STATEMENT_TIMEOUT_MS: 1 };
    throws(() => reportDatabaseUrl(given), /^Error: REPORT_DATABASE_URL: nothing holds to ssl=require/);
  });

  it('name a certificate that is away for a moment: a report fails by it, and gives its place back', async () => {
    const statement = await prepareStatement({ sql: 'select 1', dialect: 'postgresql' });
    let over = false;
    const reading = {
      reportDatabaseUrl: 'postgresql://someone@one/campaign?sslmode=verify-full&sslrootcert=/nope',
      timeoutMs: 1000,
      maxRows: 1,
      onEnded: () => {
        over = true;
      },
    };
    await rejects(streamReport(statement, rowFormat('json'), reading), /nope cannot be read/);
    ok(over);
  });
});
