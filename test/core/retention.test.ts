import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { importUpload } from '../../core/people/import-upload.ts';
import { forgetInReports } from '../../core/reports/forget.ts';
import { reportFiles } from '../../core/reports/kept-report-files.ts';
import { endReportMail } from '../../core/reports/report-mails.ts';
import { resultFile } from '../../core/reports/report-task.ts';
import { clearOld } from '../../core/retention.ts';
import { retryDelivery } from '../../core/webhooks/deliveries.ts';
import { sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { startApi, type TestApi } from '../support/api.ts';

describe('what is kept for a while only', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ AUDIT_LOG_DAYS: '100', TRACKING_DAYS: '50', PUSH_KEY_DAYS: '10', DONATION_ATTEMPT_DAYS: '20' });
    await api.pool.query(`
      insert into core_auditlog (account_id, status, created_at) select 1, 201, now() - interval '101 days' from generate_series(1, 25000);
      insert into core_auditlog (account_id, status, created_at) select 1, 201, now() - interval '99 days' from generate_series(1, 10);
      insert into push_key (key_digest, body_digest, created_at) select n::text, '', now() - interval '11 days' from generate_series(1, 12000) n;
      insert into push_key (key_digest, body_digest) values ('young', '');
      insert into written_batch (id, created_at) values (gen_random_uuid(), now() - interval '25 hours'), (gen_random_uuid(), now() - interval '23 hours');
      insert into core_donationattempt (email, errors, created_at) select n || '@example.org', '{}', now() - n * interval '1 day' from generate_series(30, 1, -1) n;
      insert into core_user (email) values ('ann@example.org');
      insert into core_mailing (status) values ('completed');
      insert into core_open (user_id, mailing_id, created_at) select 1, 1, now() - n * interval '1 hour' from generate_series(100000, 1, -1) n;
      insert into core_click (user_id, mailing_id, link_number, created_at) values (1, 1, 0, now() - interval '51 days'), (1, 1, 0, now())`);
  });
  after(() => api.close());

  const rows = async (table: string) => (await api.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;

  it('goes when its time is over, many rows in batches', async () => {
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const cleared = await clearOld({ pool: api.pool, env: api.env, log });
    const { auditLog, pushKeys, donationAttempts, batches, opens, clicks } = cleared;
    assert.deepEqual(
      { auditLog, pushKeys, donationAttempts, batches, opens, clicks },
      { auditLog: 25_000, pushKeys: 12_000, donationAttempts: 11, batches: 1, opens: 100_000 - 50 * 24 + 1, clicks: 1 },
    );
    assert.deepEqual(await Promise.all(['core_auditlog', 'push_key', 'core_open', 'core_click'].map(rows)), [10, 1, 50 * 24 - 1, 1]);
    const again = await clearOld({ pool: api.pool, env: { ...api.env, AUDIT_LOG_DAYS: 0, TRACKING_DAYS: 0 }, log });
    assert.deepEqual([again['auditLog'], again['opens']], [0, 0], 'with 0 they are kept');
  });

  it('stays of results of reports that are still to be mailed, the relay being away', async () => {
    const env = { ...api.env, REPORT_FILES: 'database' as const, REPORT_FILE_DAYS: 1 };
    const log = { info() {}, warn() {}, error() {} };
    const files = reportFiles({ env, pool: api.pool });
    const task = async (mailsOver: number) => {
      const { rows } = await api.pool.query(
        `insert into core_backgroundtask (short_name, statement, format, emails, status, mails_over, finished_at)
         values ('any', '{}', 'csv', '["ann@example.org"]', 'completed', $1, now() - interval '25 hours') returning id`,
        [mailsOver],
      );
      await (await files.draft(resultFile(rows[0].id, 'csv'), Readable.from(['one']))).keep(sqlOn(api.pool));
      return rows[0].id as number;
    };
    const [waits, over] = [await task(0), await task(1)];
    await api.pool.query(`update report_file set written_at = now() - interval '25 hours'`);
    const kept = async () => [
      (await api.pool.query('select id from core_backgroundtask')).rows.map(({ id }) => id),
      (await files.list()).map(({ name }) => name),
    ];
    assert.equal((await kept())[0]!.length, 2);
    await clearOld({ pool: api.pool, env, log });
    assert.deepEqual(await kept(), [[waits], [resultFile(waits, 'csv')]], `of ${waits} and ${over}`);
    await endReportMail(api.pool, waits, 0);
    await clearOld({ pool: api.pool, env, log });
    assert.deepEqual(await kept(), [[], []]);
  });

  it('stays of results whose task is there, whatever the clock of a machine says of their files', async () => {
    const env = { ...api.env, REPORT_FILES: 'database' as const };
    const files = reportFiles({ env, pool: api.pool });
    const { rows } = await api.pool.query(
      `insert into core_backgroundtask (short_name, statement, format, status, finished_at) values ('any', '{}', 'csv', 'completed', now()) returning id`,
    );
    const names = [resultFile(rows[0].id, 'csv'), resultFile(rows[0].id + 1, 'csv')];
    for (const name of names) await (await files.draft(name, Readable.from(['one']))).keep(sqlOn(api.pool));
    // By that of a worker that runs ahead, or by that of one that ran behind.
    await api.pool.query(`update report_file set written_at = now() - interval '40 days'`);
    const { files: cleared } = await clearOld({ pool: api.pool, env, log: { info() {}, warn() {}, error() {} } });
    assert.deepEqual([cleared, (await files.list()).map(({ name }) => name)], [1, [names[0]]]);
  });

  for (const [first, then] of [
    ['folder', 'database'],
    ['database', 'folder'],
  ] as const)
    it(`are results from before REPORT_FILES was changed from ${first} to ${then}: they are there, and go`, async () => {
      const kept = (REPORT_FILES: 'folder' | 'database') => reportFiles({ env: { ...api.env, REPORT_FILES }, pool: api.pool });
      const write = async (files: ReturnType<typeof kept>, words: string) =>
        (await files.draft('report-900.csv', Readable.from([words]))).keep(sqlOn(api.pool));
      const content = async (files: ReturnType<typeof kept>) => {
        const file = await files.read('report-900.csv');
        return file && (await text(file.content));
      };
      const files = kept(then);
      await write(kept(first), 'bob@example.org');
      assert.equal(await content(files), 'bob@example.org');
      await forgetInReports(api.pool, files, ['bob@example.org']);
      assert.equal(await content(kept(first)), null, 'whoever was erased');

      await write(kept(first), 'before');
      await write(files, 'after');
      assert.equal(await content(kept(first)), 'after', 'one that was made anew');
      const later = Date.now() + 40 * 24 * 3600 * 1000;
      const { now } = Date;
      Date.now = () => later;
      await clearOld({ pool: api.pool, env: { ...api.env, REPORT_FILES: first }, log: { info() {}, warn() {}, error() {} } }).finally(
        () => {
          Date.now = now;
        },
      );
      assert.equal(await content(files), null);
    });

  it('goes after a day of results that were left half written, which take room and are of no use to anybody', async () => {
    const env = { ...api.env, REPORT_FILES: 'database' as const };
    const files = reportFiles({ env, pool: api.pool });
    const names = async () => new Set((await files.list()).map(({ name }) => name));
    const before = await names();
    const written = async (hoursAgo: number) => {
      await files.draft(resultFile(77, 'csv'), Readable.from(['one']));
      await api.pool.query(
        `update report_file set written_at = now() - $1 * interval '1 hour' where name like 'report-77.%' and written_at > now() - interval '1 minute'`,
        [hoursAgo],
      );
    };
    await written(25);
    await written(20);
    assert.equal((await names()).size, before.size + 2);
    const { files: cleared } = await clearOld({ pool: api.pool, env, log: { info() {}, warn() {}, error() {} } });
    assert.deepEqual([cleared, (await names()).size], [1, before.size + 1]);
  });

  it('goes after a day of results whose task is gone', async () => {
    const env = { ...api.env, REPORT_FILES: 'database' as const };
    const files = reportFiles({ env, pool: api.pool });
    for (const id of [901, 902]) await (await files.draft(resultFile(id, 'csv'), Readable.from(['one']))).keep(sqlOn(api.pool));
    await api.pool.query(`update report_file set written_at = now() - interval '25 hours' where name = 'report-901.csv'`);
    await clearOld({ pool: api.pool, env, log: { info() {}, warn() {}, error() {} } });
    const left = (await files.list()).map(({ name }) => name).filter((name) => /90[12]/.test(name));
    assert.deepEqual(left, ['report-902.csv']);
  });

  it('stays of a delivery that somebody has tried again in that moment', async () => {
    const { rows } = await api.pool.query(`
      with hook as (insert into core_webhook (url, events, secret, active) values ('https://example.org/', '[]', '', false) returning id)
      insert into core_webhookdelivery (webhook_id, event, resource, resource_id, status, created_at)
      select id, 'action', 'action', 1, 'failed', now() - interval '31 days' from hook returning id`);
    const id = Number(rows[0].id);
    let clearing: Promise<unknown> = Promise.resolve();
    await inOneTransaction(api.pool, async (sql) => {
      assert.equal(await retryDelivery(sql, id), true);
      clearing = clearOld({ pool: api.pool, env: api.env, log: { info() {}, warn() {}, error() {} } });
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'webhookdelivery'`;
      while ((await api.pool.query(waits)).rowCount !== 1) await sleep(10);
    });
    await clearing;
    assert.deepEqual((await api.pool.query('select status from core_webhookdelivery where id = $1', [id])).rows, [{ status: 'pending' }]);
  });

  it('goes at once of imports that went with their page, whether their run comes to it or not', async () => {
    const page = await api.create('importpage', { name: 'import' });
    const staged = async () => {
      const { rows } = await api.pool.query(
        `insert into core_upload (page_id, columns, line_count) values ($1, '["email"]', 1) returning id`,
        [page.split('/').at(-2)],
      );
      await api.pool.query(`insert into core_uploadblock (upload_id, lane, nth, lines) values ($1, 0, 0, '[[2, "left@example.org"]]')`, [
        rows[0].id,
      ]);
      return rows[0].id as number;
    };
    const [run, forgotten] = [await staged(), await staged()];
    assert.equal((await api.call('DELETE', page)).statusCode, 204);
    const left = async () => (await api.pool.query('select upload_id from core_uploadblock')).rows.map(({ upload_id: id }) => id);
    assert.equal(await importUpload(api, run, () => true), false);
    assert.deepEqual(await left(), [forgotten]);
    const { uploadBlocks } = await clearOld({ pool: api.pool, env: api.env, log: { info() {}, warn() {}, error() {} } });
    assert.deepEqual([uploadBlocks, await left()], [1, []]);
  });
});
