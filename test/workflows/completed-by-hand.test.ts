import assert from 'node:assert/strict';
import { type InputOf, type RunName, startOf, startOptions, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { completing } from '../support/completing.ts';
import { StubCrm } from '../support/crm-stub.ts';
import { idIn, READY } from '../support/mailings.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

const PEOPLE = ['ann@example.org', 'bob@example.org'];

describe('an activity that is completed by hand, with what is no answer of it', () => {
  let platform: WholePlatform;
  let crm: StubCrm;
  let { complete, holding } = {} as ReturnType<typeof completing>;

  before(async () => {
    crm = await new StubCrm().listen();
    const crmSettings = { CRM_KIND: 'http', CRM_URL: crm.url, CRM_TOKEN: 'a-token', PARTNER_KIND: 'http', PARTNER_URL: crm.url };
    platform = await wholePlatform({ ...crmSettings, WEBHOOKS_INSIDE: 'true' }, PEOPLE);
    ({ complete, holding } = completing(platform));
  });
  after(async () => {
    await platform?.close();
    await crm.close();
  });
  beforeEach(() => crm.reset());

  const handleOf = (id: string) => platform.place.client.workflow.getHandle(id);

  /** A run of a job whose row is held until its activity was completed. @returns what the run answers */
  async function jobRun<Name extends RunName>(name: Name, input: InputOf<Name>, [activity, table]: [string, string]): Promise<unknown> {
    const start = startOf(name, input);
    await holding(`lock table ${table} in exclusive mode`, async () => {
      await platform.place.client.workflow.start(name, startOptions(start));
      await complete(start.workflowId, activity, null, true);
    });
    return handleOf(start.workflowId).result();
  }
  const insert = async (statement: string): Promise<number> => (await platform.api.pool.query(`${statement} returning id`)).rows[0].id;

  it('is run again where proofs were sent: the run says how many reviewers have', async () => {
    const mailingId = idIn(await platform.ready(READY));
    const jobId = await insert(
      `insert into core_mailingproof (mailing_id, proofs, reviewers) values (${mailingId}, 2, '["reviewer@example.org"]')`,
    );
    assert.equal(await jobRun('sendProofs', { mailingId, jobId }, ['sendProofMails', 'core_mailingproof']), 2);
  });

  it('is run again where lines were imported: the run is over when they are', async () => {
    const page = await platform.api.create('importpage', { name: 'import', list: '/rest/v1/list/1/' });
    const jobId = await insert(
      `insert into core_upload (page_id, filename, columns, line_count) values (${idIn(page)}, 'f.csv', '["email"]', 1)`,
    );
    await platform.api.pool.query(
      `insert into core_uploadblock (upload_id, lane, nth, lines) values (${jobId}, 0, 0, '[[2,"ann@example.org"]]')`,
    );
    await jobRun('importUpload', { jobId }, ['importLines', 'core_upload']);
    assert.equal((await platform.api.pool.query('select status from core_upload')).rows[0].status, 'completed');
  });

  it('is run again where a report was run: the run is over when there is a result', async () => {
    const jobId = await insert(
      `insert into core_backgroundtask (short_name, statement, format, emails) values ('any', '{"text": "select 1", "values": []}', 'csv', '[]')`,
    );
    await jobRun('runReport', { jobId }, ['runReportTask', 'core_backgroundtask']);
    assert.equal((await platform.api.pool.query('select status from core_backgroundtask')).rows[0].status, 'completed');
  });

  it('is run again where the sweep looked: it says how many it started', async () => {
    const start = { workflowId: 'sweep', taskQueue: TASK_QUEUE.campaign, args: [] };
    await holding('lock table core_mailing in access exclusive mode', async () => {
      await platform.place.client.workflow.start('sweep', start);
      await complete('sweep', 'startForgotten', 'done', true);
    });
    assert.equal(typeof (await handleOf('sweep').result()), 'number');
  });

  it('is run again where a webhook was told: it is told of what comes later, too', async () => {
    const list = await platform.api.create('list', { name: 'Joined' });
    await platform.api.create('signuppage', { name: 'join', list });
    const webhook = await platform.api.create('webhook', {
      url: `${crm.url}/hook`,
      events: ['action'],
      secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    });
    crm.fault = () => ({ kind: 'silence' });
    await platform.api.call('POST', '/rest/v1/action/', { page: 'join', email: 'ann@example.org' });
    const start = {
      workflowId: workflowId.deliverWebhook(idIn(webhook)),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ jobId: idIn(webhook) }],
    };
    await platform.place.client.workflow.start('deliverWebhook', start);
    await complete(start.workflowId, 'deliverWebhooks', null);
    await handleOf(start.workflowId).result();
  });

  for (const [user, answer] of [
    [1, null],
    [2, { kind: 'later', why: 'away', reason: 'away' }],
  ] as const)
    it(`is run again where the CRM was told of somebody, and answered ${JSON.stringify(answer)}: they are synced`, async () => {
      crm.fault = (_, nth) => (nth === 1 ? { kind: 'silence' } : null);
      const uri = await platform.api.create('crmmap', { user_id: user });
      await complete(workflowId.syncUser(idIn(uri)), 'syncMapped', answer);
      assert.equal(await handleOf(workflowId.syncUser(idIn(uri))).result(), 'synced');
      assert.equal((await platform.api.read(uri)).status, 'synced');
    });

  /** For how long is not said. */
  const WAITS = { after: 0, finished: false, synced: 0, failed: 0, created: 0, refused: 0, later: { why: 'busy', reason: 'busy' } };
  for (const [workflow, activity, answer] of [
    ['syncChanged', 'syncCrmBatch', null],
    ['syncChanged', 'syncCrmBatch', WAITS],
    ['runIntegration', 'integrateBatch', null],
    ['runIntegration', 'integrateBatch', WAITS],
  ] as const)
    it(`is run again in a round of ${workflow}, and answered ${JSON.stringify(answer)}: the round comes to its end`, async () => {
      await platform.api.pool.query(`update core_user set updated_at = now() + interval '1 second', first_name = '${workflow}'`);
      await platform.api.pool.query(`insert into core_user (email) values (gen_random_uuid() || '@example.org')`);
      crm.fault = (_, nth) => (nth === 1 ? { kind: 'silence' } : null);
      await platform.place.client.workflow.start(workflow, { workflowId: workflow, taskQueue: TASK_QUEUE.campaign, args: [{}] });
      await complete(workflow, activity, answer);
      await handleOf(workflow).result();
    });

  it('is run again where a recurring mailing was copied: its copy goes out', async () => {
    const mailing = await platform.api.create('mailer', READY);
    await platform.api.create('recurringschedule', { mailing });
    const id = `${workflowId.runRecurring(idIn(mailing))}-${new Date().toISOString()}`;
    const run = { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [{ mailingId: idIn(mailing) }] };
    await holding(`select from core_mailing where id = ${idIn(mailing)} for update`, async () => {
      await platform.place.client.workflow.start('runRecurring', run);
      await complete(id, 'copyRecurring', 'done', true);
    });
    const copy = await handleOf(id).result();
    assert.equal(typeof copy, 'number');
    assert.equal((await platform.watch(`/rest/v1/mailer/${copy}/progress/`)).progress, PEOPLE.length);
  });

  it('is run again where what is old was cleared: it is, and the round ends', async () => {
    const start = { workflowId: 'clear', taskQueue: TASK_QUEUE.campaign, args: [] };
    await holding('lock table core_logintoken in access exclusive mode', async () => {
      await platform.place.client.workflow.start('clearOld', start);
      await complete('clear', 'clearOld', null, true);
    });
    assert.equal(typeof (await handleOf('clear').result()), 'object');
  });
});
