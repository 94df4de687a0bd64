import { deepEqual, match } from 'node:assert/strict';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { Places } from '../../../activities/places.ts';
import { createProofActivities } from '../../../activities/proofs/activities.ts';
import { createReportActivities } from '../../../activities/reports/activities.ts';
import { createSendActivities } from '../../../activities/sending/activities.ts';
import { createTargetActivities } from '../../../activities/targets/activities.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { addReportTask } from '../../../core/reports/report-task.ts';
import { openRebuildJob } from '../../../core/targeting/rebuild-job.ts';
import { reportDatabaseUrl } from '../../../db/report-login.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { erase } from '../../support/erasing.ts';
import { inActivity } from '../../support/in-activity.ts';
import { holdByTags, holdReports, reportsWait } from '../../support/reports-wait.ts';
import { queueMailing, ScriptedRelay } from '../../support/sending.ts';

/** The database quotes the address that it takes for a number, once it is let go on after it has read it. */
const FAILS = `select (email || (select count(*) from core_tag))::int from core_user where email like 'quoted%'`;
const SHOWN = '{% report "failing" as rows %}{% for row in rows %}{{ row.email }}{% endfor %}{% endreport %}';

describe('what the database says of a statement that fails', () => {
  let api: TestApi;
  let deps: ActivityDeps & { places: Places };
  before(async () => {
    api = await startApi({ DATA_DIR: dataFolder() });
    const { pool, env } = api;
    await ensureReportRole(pool, env);
    await reportsWait(pool);
    await holdByTags(pool);
    await api.create('queryreport', { name: 'Failing', short_name: 'failing', sql: FAILS });
    deps = { pool, sendPool: pool, env, temporal: {}, log: console, relay: new ScriptedRelay(1), places: new Places() } as never;
  });
  after(() => api.close());

  const shownIn = async (more: string): Promise<number> => {
    const id = await queueMailing(api.pool, 1);
    await api.pool.query(`update core_mailing set html = $2 ${more} where id = $1`, [id, SHOWN]);
    return id;
  };

  /** What is begun, and where it says how that ended. */
  const failing: Record<string, () => Promise<{ run: Promise<unknown>; errors: [table: string, id: number] }>> = {
    'a report in the background': async () => {
      const statement = { text: FAILS, values: [] };
      const jobId = await addReportTask(sqlOn(api.pool), { shortName: 'any', statement, format: 'csv', emails: [], accountId: null });
      return { run: inActivity(createReportActivities(deps)).runReportTask({ jobId }), errors: ['core_backgroundtask', jobId] };
    },
    'the users of a mailing': async () => {
      const { rows } = await api.pool.query('insert into core_mailing (includes) values ($1) returning id', [{ raw_sql: [FAILS] }]);
      const mailingId = rows[0].id;
      const jobId = await openRebuildJob(api.pool, mailingId);
      const settings = { reportDatabaseUrl: reportDatabaseUrl(api.env), statementTimeoutMs: 60_000, fastRebuild: false };
      const { buildTargets } = inActivity(createTargetActivities({ ...deps, ...settings }));
      return { run: buildTargets({ mailingId, jobId }), errors: ['core_mailingrebuild', jobId] };
    },
    'a mailing that begins': async () => {
      const id = await shownIn('');
      return { run: inActivity(createSendActivities(deps)).beginSending(id, null), errors: ['core_mailing', id] };
    },
    proofs: async () => {
      const mailingId = await shownIn(`, status = 'draft'`);
      const { rows } = await api.pool.query(
        `insert into core_mailingproof (mailing_id, proofs, reviewers) values ($1, 1, '["me@example.org"]') returning id`,
        [mailingId],
      );
      const jobId = rows[0].id;
      return { run: inActivity(createProofActivities(deps)).sendProofMails({ mailingId, jobId }), errors: ['core_mailingproof', jobId] };
    },
  };

  for (const [what, begin] of Object.entries(failing)) {
    it(`is kept of ${what}, and not where somebody was erased since it was begun`, async () => {
      const { pool } = api;
      const saidOf = async (during: (user: number) => Promise<unknown>) => {
        await pool.query(`delete from core_user where email like 'quoted%'`);
        const { rows } = await pool.query(`insert into core_user (email) values ('quoted@example.org') returning id`);
        const { reached, goOn } = await holdReports(pool);
        const { run, errors } = await begin();
        await reached();
        await during(rows[0].id);
        await goOn();
        await run.catch(() => {});
        return (await pool.query(`select errors::text as said from ${errors[0]} where id = $1`, [errors[1]])).rows[0].said as string;
      };
      match(await saidOf(async () => {}), /quoted@example\.org/);
      const words = await saidOf((user) => erase(pool, user));
      match(words, /The statement failed; run it to see why\./);
      deepEqual(/quoted/.test(words), false);
    });
  }
});
