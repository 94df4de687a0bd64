import { deepEqual } from 'node:assert/strict';
import { newConnection } from '../../db/driver.ts';
import { createPool } from '../../db/pool.ts';
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
});
