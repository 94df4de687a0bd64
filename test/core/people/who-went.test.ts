import assert from 'node:assert/strict';
import pg from 'pg';
import { goneSoFar, keepAllHere, nobodyWentSince, tellGoing } from '../../../core/people/who-went.ts';
import { sqlOn } from '../../../db/sql.ts';
import { createDatabase } from '../../support/database.ts';

describe('who went', () => {
  let pool: pg.Pool;
  const open: pg.PoolClient[] = [];

  before(async () => {
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 8 });
  });
  after(() => pool.end());
  afterEach(async () => {
    for (const client of open.splice(0)) {
      await client.query('rollback');
      client.release();
    }
  });

  /** A transaction that stays open. */
  const transaction = async () => {
    const client = await pool.connect();
    open.push(client);
    await client.query("begin; set local lock_timeout = '200ms'");
    return client;
  };

  it('is asked and kept by many at once: none of them is in another’s way', async () => {
    const gone = await goneSoFar(sqlOn(pool));
    assert.notEqual(gone, null);
    await keepAllHere(sqlOn(await transaction()));
    await keepAllHere(sqlOn(await transaction()));
    assert.equal(await nobodyWentSince(sqlOn(await transaction()), gone), true);
    assert.equal(await goneSoFar(sqlOn(pool)), gone);
  });

  it('counts whoever is going before that is committed, and many may go at once', async () => {
    const before = await goneSoFar(sqlOn(pool));
    const [one, other] = [await transaction(), await transaction()];
    await tellGoing(sqlOn(one));
    await tellGoing(sqlOn(other));
    assert.equal(await goneSoFar(sqlOn(pool)), null);
    assert.equal(await nobodyWentSince(sqlOn(pool), before), false);
    for (const client of [one, other]) await client.query('commit');
    assert.equal(await nobodyWentSince(sqlOn(pool), before), false);
    const after = await goneSoFar(sqlOn(pool));
    assert.equal(await nobodyWentSince(sqlOn(pool), after), true);
  });

  it('has nobody go while all are kept, and keeps nobody while somebody goes', async () => {
    const [keeper, goer] = [await transaction(), await transaction()];
    await keepAllHere(sqlOn(keeper));
    await assert.rejects(tellGoing(sqlOn(goer)), /lock timeout/);
    await keeper.query('rollback');
    await goer.query("rollback; begin; set local lock_timeout = '200ms'");
    await tellGoing(sqlOn(goer));
    await keeper.query("begin; set local lock_timeout = '200ms'");
    await assert.rejects(keepAllHere(sqlOn(keeper)), /lock timeout/);
  });
});
