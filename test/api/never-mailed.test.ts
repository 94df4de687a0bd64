import { deepEqual, equal } from 'node:assert/strict';
import { sendNotice } from '../../core/mailings/notices/send-notice.ts';
import { sendProofs } from '../../core/mailings/send-proofs.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { mailReport, runReportTask } from '../../core/reports/run-report-task.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { idIn } from '../support/mailings.ts';
import { queueMailing, ScriptedRelay } from '../support/sending.ts';

const NEVER = 'this address is never mailed';

describe('an address that is never mailed', () => {
  let api: TestApi;
  const relay = new ScriptedRelay(1);
  const log = { warn() {}, info() {}, error() {} } as never;

  before(async () => {
    api = await startApi({ DATA_DIR: dataFolder() });
    await ensureReportRole(api.pool, api.env);
    await api.create('blackholedemail', { email: 'Never@example.org' });
  });
  after(() => api.close());
  beforeEach(() => {
    relay.written.length = 0;
  });

  it('gets no proofs, and the request says so; other reviewers get theirs', async () => {
    const mailing = await queueMailing(api.pool, 3);
    const { rows } = await api.pool.query(`insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, $2, 2) returning id`, [
      mailing,
      '["NEVER@example.org", "staff@example.org"]',
    ]);
    equal(await sendProofs({ ...api, relay, log }, mailing, rows[0].id, async () => {}), 2);
    deepEqual(relay.written, ['staff@example.org', 'staff@example.org']);
    const became = await api.pool.query('select finished, success, sent, errors from core_mailingproof where id = $1', [rows[0].id]);
    const errors = [`proof 1 for reviewer 1: ${NEVER}`, `proof 2 for reviewer 1: ${NEVER}`];
    deepEqual(became.rows, [{ finished: true, success: false, sent: 2, errors }]);
  });

  it('gets no results of reports; its task says so', async () => {
    await api.create('queryreport', { name: 'One', short_name: 'one', sql: 'select 1' });
    const asked = await api.call('POST', '/rest/v1/report/background/one/', { email_to: 'Never@example.org, staff@example.org' });
    equal(asked.statusCode, 201, asked.body);
    const task = String(asked.headers.location).slice(api.env.BASE_URL.length);
    const deps = { pool: api.pool, env: api.env, relay };
    const many = await runReportTask(deps, idIn(task), AbortSignal.timeout(60_000));
    for (let index = 0; index < many; index++) await mailReport(deps, idIn(task), index);
    deepEqual(relay.written, ['staff@example.org']);
    const { status, errors } = await api.read(task);
    deepEqual([status, errors], ['completed', [`Mail 1: skipped: ${NEVER}`]]);
    // Tried again, it is over.
    await mailReport(deps, idIn(task), 0);
    deepEqual((await api.read(task)).errors.length, 1);
  });

  it('gets no word of how a mailing of its account ended', async () => {
    const account = await api.create('authuser', { username: 'never', password: 'a-long-enough-password', email: 'never@example.org' });
    const { rows } = await api.pool.query(
      `with m as (insert into core_mailing (status) values ('completed') returning id)
       insert into core_mailingnotice (mailing_id, kind, account_id) select id, 'completed', $1 from m returning id`,
      [idIn(account)],
    );
    await sendNotice({ ...api, relay, log }, rows[0].id);
    deepEqual(relay.written, []);
    const became = await api.pool.query('select status, detail from core_mailingnotice where id = $1', [rows[0].id]);
    deepEqual(became.rows, [{ status: 'skipped', detail: NEVER }]);
  });
});
