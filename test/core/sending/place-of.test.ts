import { deepEqual, ok } from 'node:assert/strict';
import type pg from 'pg';
import { findSample } from '../../../core/mailings/preview-sample.ts';
import { mailsOf } from '../../../core/people/mails-of-person.ts';
import { ofUser } from '../../../core/sending/of-user.ts';
import { eraseRecipient, mergeRecipients } from '../../../core/sending/recipients-who-go.ts';
import { sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { rowsRead } from '../../support/rows-read.ts';
import { become, putInSet, seedMailing } from '../../support/sending.ts';
import { track } from '../../support/tracking.ts';

/** Blocks of a thousand in the sets of other mailings. */
const BLOCKS = 30;
const PEOPLE = 200;
/** Steps of a plan hand on what those below them have read: of everybody in a set it would be a multiple of the thirty thousand. */
const FEW = 9000;

describe('somebody’s place in a mailing', () => {
  let api: TestApi;
  let pool: pg.Pool;
  /** With two subjects, and with one. */
  let two: number;
  let one: number;

  before(async () => {
    api = await startApi();
    pool = api.pool;
    two = await seedMailing(pool, PEOPLE);
    one = await seedMailing(pool, PEOPLE);
    await pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'A'), ($1, 1, 'B'), ($2, 0, 'A')`, [
      two,
      one,
    ]);
    // Drafts with a set each: in the order of people's numbers, and shuffled, so that each block has room for everybody.
    const { rows: drafts } = await pool.query(
      `insert into core_mailing (status, query_status) values ('draft', 'saved'), ('draft', 'saved') returning id`,
    );
    const many = Array.from({ length: BLOCKS * 1000 }, (_, n) => n + 1);
    await putInSet(pool, drafts[0].id, many);
    await putInSet(
      pool,
      drafts[1].id,
      many.map((n) => ((n * 7919) % many.length) + 1),
    );
    await become(pool, two, [
      { position: 3, state: 2 },
      { position: 4, state: 5, detail: 'the worker died' },
    ]);
    await pool.query('vacuum analyze');
  });
  after(() => api.close());

  const openedBy = async (mailing: number, positions: number[]) => {
    const { rows } = await pool.query('select id from core_user order by id');
    await track(pool, ...positions.map((position) => ({ userId: rows[position - 1].id, mailingId: mailing })));
    // Written once, it is not written again: asked for its plan, it is as new.
    await pool.query('delete from written_batch');
  };

  it('is found for openings whatever became of the mail, so that they are counted with their subject', async () => {
    await openedBy(two, [1, 2, 3, 4, 5]);
    const { rows } = await pool.query('select place, opens from core_trackedtotal where mailing_id = $1 order by place', [two]);
    deepEqual(
      rows.map(({ place, opens }) => [place, opens]),
      [
        [0, 2],
        [1, 3],
      ],
    );
  });

  it('is found for openings without what other mailings have before them being read', async () => {
    for (const mailing of [two, one]) {
      const rows = await rowsRead(pool, null, () => openedBy(mailing, [11, 12, 13]));
      ok(rows < FEW, `${rows} rows`);
    }
  });

  it('is found where somebody looks at a person or a preview without everybody in a shuffled set being read', async () => {
    const { rows: people } = await pool.query('select id from core_user order by id limit 1 offset 20');
    const userId: number = people[0].id;
    const looks: [string, () => Promise<unknown>][] = [
      ['the mails of a person', () => mailsOf(sqlOn(pool), userId, { before: null, limit: 20 })],
      ['a preview', () => findSample(pool, two, { userId, n: 1 })],
      ['mails sent', () => pool.query(`select position from send_record r where ${ofUser('r', '$1')} and state = 2`, [userId])],
      ['their subject', () => pool.query('select core_subject_place($1, $2)', [two, userId])],
    ];
    for (const [what, look] of looks) {
      const rows = await rowsRead(pool, null, look);
      ok(rows < FEW, `${what}: ${rows} rows`);
    }
    deepEqual(
      (await mailsOf(sqlOn(pool), userId, { before: null, limit: 20 })).map(({ mailing_id: id }) => id).sort((a, b) => a - b),
      [two, one, one + 1, one + 2],
    );
    deepEqual((await findSample(pool, two, { userId, n: 1 }))?.position, 21);
  });

  it('is found where somebody is erased, merged or deleted without what others have before them being read, while shards are held', async () => {
    const { rows: people } = await pool.query('select id from core_user order by id limit 1 offset 30');
    const rows = await rowsRead(pool, null, () => eraseRecipient(sqlOn(pool), people[0].id));
    ok(rows < FEW, `${rows} rows`);
    const { rows: skipped } = await pool.query(
      'select mailing_id, state from send_record where user_id = $1 and mailing_id = any($2) order by 1',
      [people[0].id, [two, one]],
    );
    deepEqual(
      skipped.map(({ state }) => state),
      [4, 4],
    );
  });

  it('is found in the record where two who were sent the same mailings are merged, without the others there being read', async () => {
    // The same thousand people, in each of thirty mailings of long ago.
    await pool.query(
      `insert into send_accepted (mailing_id, position, user_id, sent_second) select 900 + m, n, 1000000 + n, 0 from generate_series(1, 30) m, generate_series(1, 1000) n`,
    );
    await pool.query('vacuum analyze send_accepted');
    const [primary, merged] = [1_000_007, 1_000_707];
    const rows = await rowsRead(pool, 'send_accepted', () => inOneTransaction(pool, (sql) => mergeRecipients(sql, primary, [merged])));
    ok(rows < 1000, `${rows} rows`);
    const { rows: left } = await pool.query(
      'select user_id, count(*)::int as n from send_accepted where position = any($1) group by 1 order by 1',
      [[7, 707]],
    );
    deepEqual(left, [
      { user_id: -707, n: 30 },
      { user_id: primary, n: 30 },
    ]);
  });
});
