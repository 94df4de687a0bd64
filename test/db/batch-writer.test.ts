import { deepEqual, equal, ok } from 'node:assert/strict';
import type pg from 'pg';
import { AuditWriter } from '../../core/accounts/audit-writer.ts';
import { TrackWriter } from '../../core/tracking/track-writer.ts';
import { BatchWriter } from '../../db/batch-writer.ts';
import { createPool } from '../../db/pool.ts';
import { createDatabase } from '../support/database.ts';
import { seedMailing } from '../support/sending.ts';
import { type StatementProxy, startStatementProxy } from '../support/statement-proxy.ts';

describe('what is written in groups', () => {
  let pool: pg.Pool;
  let losing: pg.Pool;
  let proxy: StatementProxy;
  /** Groups whose answers are lost yet. */
  let toLose = 0;

  before(async () => {
    const database = await createDatabase();
    pool = createPool(database, 2);
    proxy = await startStatementProxy(database, () => () => (toLose-- > 0 ? 'lose' : 'pass'));
    losing = createPool(Object.assign(new URL(database), { port: String(proxy.port) }).href, 2);
  });
  after(async () => {
    await losing.end();
    proxy.close();
    await pool.end();
  });

  it('is written once where the database is lost between its commit and its answer, and again after that', async () => {
    const mailingId = await seedMailing(pool, 1);
    const { rows } = await pool.query('select id from core_user');
    const waiting: number[] = [];
    const opens = new TrackWriter(losing, (_error, still) => waiting.push(still));
    const open = () => opens.add({ userId: rows[0].id, mailingId, link: null, machine: false });
    toLose = 2;
    open();
    await opens.flush();
    // What comes meanwhile is no part of it.
    open();
    open();
    await opens.flush();
    // The second of them is no news.
    deepEqual(waiting, [1]);
    await opens.flush();
    await opens.close();
    const { rows: totals } = await pool.query(
      'select opens, total_opens, (select count(*)::int from core_open) as events from core_trackedtotal where mailing_id = $1',
      [mailingId],
    );
    deepEqual(totals, [{ opens: 1, total_opens: 3, events: 3 }]);

    const entry = { accountId: 1, username: 'a', method: 'POST', path: '/', location: '', fields: [], status: 201 };
    const log = new AuditWriter(losing);
    toLose = 1;
    log.add(entry);
    await log.flush();
    await log.close();
    equal((await pool.query('select from core_auditlog')).rowCount, 1);
  });

  it('happened when the database says that it did, whatever the clock of this process says', async () => {
    const mailingId = await seedMailing(pool, 1);
    const { rows } = await pool.query('select max(id) as id from core_user');
    let now = 1_000_000;
    const opens = new TrackWriter(pool, undefined, () => now);
    opens.add({ userId: rows[0].id, mailingId, link: null, machine: false });
    now += 90_000;
    await opens.close();
    const { rows: ages } = await pool.query(
      'select extract(epoch from clock_timestamp() - created_at)::float8 as age from core_open where mailing_id = $1',
      [mailingId],
    );
    ok(ages[0].age >= 90 && ages[0].age < 600, `${ages[0].age}`);
  });

  it('is told of once a minute while the database is away, and at once when it is away again', async () => {
    let told = 0;
    let away = true;
    const writer = new BatchWriter<number>(
      async () => {
        if (away) throw new Error('away');
      },
      () => told++,
    );
    writer.add(1);
    for (let tries = 0; tries < 20; tries++) await writer.flush();
    equal(told, 1);
    away = false;
    await writer.flush();
    away = true;
    writer.add(2);
    await writer.flush();
    equal(told, 2);
    away = false;
    await writer.close();
  });

  it('is dropped, the oldest first, where more waits than is kept', async () => {
    const written: number[] = [];
    let away = true;
    const writer = new BatchWriter<number>(async (_batchId, events) => {
      if (away) throw new Error('away');
      written.push(...events);
    });
    for (let n = 0; n < 5_001; n++) writer.add(n);
    await writer.flush();
    for (let n = 5_001; n < 205_010; n++) writer.add(n);
    away = false;
    await writer.close();
    ok(written[0]! >= 5_000);
    equal(written.at(-1), 205_009);
    equal(written.length, 205_010 - written[0]!);
  });
});
