import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Places } from '../../../activities/places.ts';
import { createTargetActivities } from '../../../activities/targets/activities.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { reportDatabaseUrl } from '../../../db/report-login.ts';
import { createDatabase } from '../../support/database.ts';
import { inActivity } from '../../support/in-activity.ts';
import { insertPeople } from '../../support/people.ts';
import { reportsWait } from '../../support/reports-wait.ts';

// A worker that sleeps for longer than others wait for it still has its build when it wakes: its mailing may have been stopped, changed and queued again since.

describe('a build right before sending whose worker slept', () => {
  let pool: pg.Pool;
  let worker: (database?: pg.Pool) => ReturnType<typeof createTargetActivities>;

  before(async () => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: 'a secret', STATEMENT_TIMEOUT_MS: 60_000 };
    pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 10 });
    await ensureReportRole(pool, settings);
    await reportsWait(pool);
    const deps = { pool, reportDatabaseUrl: reportDatabaseUrl(settings), statementTimeoutMs: 600_000, fastRebuild: true };
    worker = (database = pool) => inActivity(createTargetActivities({ ...deps, pool: database, places: new Places() }));
    await pool.query(`insert into core_list (id, name) values (1, 'News')`);
    await insertPeople(
      pool,
      [1, 2, 3].map((id) => ({ id, email: `p${id}@example.org`, lists: [1] })),
    );
  });
  after(() => pool.end());

  /** Holds a table until it is called. */
  async function holding(table: string): Promise<() => Promise<void>> {
    const holder = await pool.connect();
    await holder.query(`begin; lock table ${table} in access exclusive mode`);
    return async () => {
      await holder.query('rollback');
      holder.release();
    };
  }
  async function waiting(many: number): Promise<void> {
    const waits = 'select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())';
    while ((await pool.query(waits)).rowCount !== many) await sleep(10);
  }

  for (const [what, ofOld] of [
    ['the users there were then', 'select id from core_user where id < 3 and not exists (select from core_tag)'],
    ['an error', 'select id / 0 from core_user where not exists (select from core_tag)'],
  ] as const)
    it(`brings ${what} into no later queueing: that one builds its own`, async () => {
      const queue = `status = 'rebuilding_at_send', queued_at = clock_timestamp()`;
      const { rows } = await pool.query<{ id: number }>('insert into core_mailing (includes) values ($1) returning id', [
        { raw_sql: [ofOld] },
      ]);
      const mailingId = rows[0]!.id;
      await pool.query(`update core_mailing set ${queue} where id = $1`, [mailingId]);
      const wake = await holding('core_tag');
      const given = worker()
        .buildTargetsAtSend({ mailingId })
        .catch(() => null);
      await waiting(1);

      // Stopped, changed, queued again.
      const goOn = await holding('core_language');
      await pool.query(`update core_mailing set includes = $2, targeting_version = targeting_version + 1, ${queue} where id = $1`, [
        mailingId,
        { raw_sql: ['select 3 where not exists (select from core_language where id < 0)'] },
      ]);
      const present = worker().buildTargetsAtSend({ mailingId });
      await waiting(2);
      await wake();
      await given;
      await goOn();

      assert.deepEqual(await present, { count: 1 });
      const saved = await pool.query(
        `select query_status, targeting_version_saved = targeting_version as current, (select array_agg(user_id) from send_record where mailing_id = m.id) as people
         from core_mailing m where id = $1`,
        [mailingId],
      );
      assert.deepEqual(saved.rows, [{ query_status: 'saved', current: true, people: [3] }]);
    });

  it('does not say of one that has ended meanwhile that it is under way', async () => {
    const { rows } = await pool.query<{ id: number }>('insert into core_mailing default values returning id');
    const mailingId = rows[0]!.id;
    const asked = await pool.query<{ id: number }>(
      'insert into core_mailingrebuild (mailing_id, targeting_version) values ($1, 1) returning id',
      [mailingId],
    );
    const build = { mailingId, jobId: asked.rows[0]!.id };
    const [isReached, wakes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // It has looked whether the build is over, and is about to mark it as begun.
    const asleep = Object.assign(Object.create(pool), {
      query: async (...query: Parameters<pg.Pool['query']>) => {
        if (String(query[0]).includes(`query_status = 'rebuilding'`)) {
          isReached.resolve();
          await wakes.promise;
        }
        return pool.query(...query);
      },
    });
    const given = worker(asleep)
      .buildTargets(build)
      .catch(() => null);
    await isReached.promise;
    assert.deepEqual(await worker().buildTargets(build), { count: 3 });
    wakes.resolve();
    await given;
    const status = await pool.query('select query_status from core_mailing where id = $1', [mailingId]);
    assert.deepEqual(status.rows, [{ query_status: 'saved' }]);
  });
});
