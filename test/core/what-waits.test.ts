import assert from 'node:assert/strict';
import { JOB_WORKFLOWS, type JobWorkflow, unfinishedMailingJobs, waitingJobs } from '../../core/forgotten.ts';
import { addMerge } from '../../core/people/merge-job.ts';
import type { Pool } from '../../db/driver.ts';
import { createPool } from '../../db/pool.ts';
import { sqlOn } from '../../db/sql.ts';
import { createDatabase } from '../support/database.ts';
import { rowsRead } from '../support/rows-read.ts';

const OVER = 20_000;
const LONG_AGO = `now() - interval '30 days'`;

/** Of each kind of job that stays when it is over: its table, what makes one that is over of `n`, and what makes one wait. */
const STAY: Partial<Record<JobWorkflow, [table: string, over: string, waits: string]>> = {
  importUpload: ['core_upload', `(page_id, status, updated_at) select 1, 'completed', ${LONG_AGO}`, `status = 'importing'`],
  sendConfirmation: ['core_transactionalmailing', `(user_id, status, updated_at) select 1, 'sent', ${LONG_AGO}`, `status = 'pending'`],
  sendNotice: [
    'core_mailingnotice',
    `(mailing_id, kind, status, updated_at) select 1, 'completed', 'sent', ${LONG_AGO}`,
    `status = 'pending'`,
  ],
  mergeUsers: [
    'core_usermerge',
    `(primary_user, address_user, source_user, status, updated_at) select n, n, n, 'complete', ${LONG_AGO}`,
    `status = 'pending'`,
  ],
  eraseUser: ['core_erasure', `(user_id, status, updated_at) select 10 + n, 'complete', ${LONG_AGO}`, `to_find = '{ann@example.org}'`],
  runReport: ['core_backgroundtask', `(statement, status, updated_at) select '{}', 'completed', ${LONG_AGO}`, `status = 'running'`],
};

// Asked four times a minute, for as long as the platform is there.
describe('what waits for a run', () => {
  let pool: Pool;
  before(async () => {
    pool = createPool(await createDatabase(), 2);
    await pool.query(`
      insert into core_page (id, name, title, type) values (1, 'import', '', 'import');
      insert into core_user (id, email) values (1, 'ann@example.org'), (2, 'bob@example.org');
      insert into core_mailing (id) values (1)`);
    for (const [table, over] of [
      ...Object.values(STAY),
      ['core_mailingproof', `(mailing_id, reviewers, proofs, finished) select 1, '[]', 1, true`],
    ])
      await pool.query(`insert into ${table} ${over} from generate_series(1, ${OVER}) n`);
    await pool.query('vacuum analyze');
  });
  after(() => pool.end());

  for (const workflow of JOB_WORKFLOWS) {
    const [table, , waits] = STAY[workflow] ?? [];
    if (!table) continue;
    it(`is found in ${table} without what is over being read`, async () => {
      await pool.query(`update ${table} set ${waits}, updated_at = now() - interval '1 hour' where id = 77`);
      const rows = await rowsRead(pool, table, async () => assert.deepEqual(await waitingJobs(pool, workflow), [77]));
      assert.ok(rows < 10, `${rows} rows were read`);
      await pool.query(`delete from ${table} where id = 77`);
    });
  }

  it('is found among proofs, too', async () => {
    await pool.query(`update core_mailingproof set finished = false, created_at = now() - interval '1 hour' where id = 77`);
    const rows = await rowsRead(pool, 'core_mailingproof', async () => {
      assert.deepEqual(await unfinishedMailingJobs(pool), [{ kind: 'proofs', id: 77, mailingId: 1, tries: 0 }]);
    });
    assert.ok(rows < 10, `${rows} rows were read`);
  });

  // One request after the other looks for it, while the others wait.
  it('is found by whoever asks for a merge', async () => {
    const referents = { referent: () => ({ table: 'core_user' }) } as never;
    const wish = { primary_user: 1, users: [2], address_user: 1, source_user: 1, sms_user: null, lists: null };
    const rows = await rowsRead(pool, 'core_usermerge', async () => {
      await addMerge(sqlOn(pool), referents, wish);
    });
    assert.ok(rows < 10, `${rows} rows were read`);
  });
});
