import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { ensureRecurring } from '../../activities/recurring.ts';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { RenewableConnection } from '../../config/renewable-connection.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn, makeReady, READY } from '../support/mailings.ts';
import { insertPeople } from '../support/people.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { type Frontend, type Refusal, startFrontend } from '../support/temporal-frontend.ts';

/** Somebody else's cluster: its operators take keys back, delete namespaces and search attributes, and limit what it is asked. */
describe('a workflow service that refuses', () => {
  let place: TestNamespace;
  let frontend: Frontend;
  let connection: RenewableConnection;
  let api: TestApi;
  let logged: { refusal?: string }[] = [];
  const log = { error: (fields: object) => logged.push(fields) };
  before(async () => {
    place = await createNamespace();
    frontend = await startFrontend(place.address);
    connection = new RenewableConnection({ address: frontend.address });
    const crm = { CRM_KIND: 'http', CRM_URL: 'http://127.0.0.1:1', CRM_TOKEN: 'token' };
    api = await startApi(crm, undefined, temporalWorkflows(new Client({ connection, namespace: place.namespace }), log));
    await api.create('list', { name: 'News' });
    await insertPeople(
      api.pool,
      Array.from({ length: 20 }, (_, n) => ({ id: n + 1, email: `p${n + 1}@example.org`, lists: [1] })),
    );
  });
  after(async () => {
    frontend.close();
    await connection.close();
    await api.close();
  });
  beforeEach(() => {
    frontend.refuse = () => null;
    logged = [];
  });

  const statusOf = async (mailing: string) => (await api.read(mailing)).status;
  const recurs = (mailing: string) => ({ mailing, period: 'daily', hour: 9, minute: 0, timezone: 'Europe/Berlin', active: true });
  let person = 1;

  it('is not ready where it has no namespace of ours, and is where it does not say', async () => {
    await temporalWorkflows(new Client({ connection, namespace: place.namespace })).ready();
    await rejects(temporalWorkflows(new Client({ connection, namespace: 'of-nobody' })).ready(), /refuses what it is asked/);
    for (const refusal of [
      { code: 7, message: 'Request unauthorized.' },
      { code: 8, message: 'namespace rate limit exceeded' },
    ]) {
      frontend.refuse = (call) => (call === 'DescribeNamespace' ? refusal : null);
      equal((await api.call('GET', '/health/ready')).statusCode, 200);
    }
  });

  it('is waited for where it says only after five seconds what a schedule is, as it may when that was changed this moment', async () => {
    const mailing = await api.create('mailer', READY);
    const schedule = await api.create('recurringschedule', recurs(mailing));
    const temporal = new Client({ connection, namespace: place.namespace });
    frontend.refuse = (call) => (call === 'DescribeSchedule' ? 5_200 : null);
    equal((await api.call('PATCH', schedule, { hour: 10 })).statusCode, 202);
    equal(await ensureRecurring({ pool: api.pool, temporal, env: api.env }), 0);
    frontend.refuse = () => null;
    equal((await api.call('DELETE', schedule)).statusCode, 204);
  });

  it('is asked no more once the connection is closed: what was to be asked again is told that it was not answered, and the process goes on', async () => {
    frontend.refuse = () => ({ code: 14, message: 'upstream connect error' });
    const closed = new RenewableConnection({ address: frontend.address });
    const asked = closed.workflowService.getSystemInfo({});
    await sleep(50);
    await closed.close();
    await rejects(asked, /Channel has been shut down/);
  });

  const REFUSALS: Record<string, Refusal> = {
    'a key that was taken back': { code: 7, message: 'Request unauthorized.' },
    'a key that ran out': { code: 16, message: 'token is expired' },
    'search attributes that are gone': { code: 3, message: 'Namespace x has no mapping defined for search attribute MailingId' },
    'a namespace that is being deleted': { code: 9, message: 'Namespace is in deleted state' },
  };
  for (const [why, refusal] of Object.entries(REFUSALS)) {
    it(`is a 503 and nothing half-done, or is done later; its operators read why: ${why}`, async () => {
      const [ready, unbuilt, repeated] = [await makeReady(api), await api.create('mailer', READY), await makeReady(api)];
      const proved = await makeReady(api);
      const waiting = await makeReady(api, { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() });
      equal((await api.call('POST', `${waiting}queue/`)).statusCode, 201);
      const stopped = await makeReady(api);
      const schedule = await api.create('recurringschedule', recurs(stopped));
      const mapping = await api.create('crmmap', { user_id: person++ });

      frontend.refuse = (call) => (call === 'GetSystemInfo' ? null : refusal);
      const refused = await Promise.all([
        api.call('POST', `${ready}queue/`),
        api.call('POST', `${unbuilt}rebuild/`),
        api.call('POST', `${proved}proofs/`, { proofs: 1, reviewers: ['reviewer@example.org'] }),
        api.call('POST', '/rest/v1/recurringschedule/', recurs(repeated)),
      ]);
      for (const answer of refused) {
        equal(answer.statusCode, 503, answer.body);
        match(answer.body, /nothing was changed/);
        doesNotMatch(answer.body, new RegExp(refusal.message));
      }
      deepEqual([await statusOf(ready), await statusOf(repeated)], ['draft', 'draft']);
      equal((await api.read(unbuilt)).query_status, 'none');

      // These are written down, and done when it lets us again.
      const taken = await Promise.all([
        api.call('POST', `${waiting}stop/`),
        api.call('POST', `${stopped}stop/`),
        api.call('POST', `${mapping}sync_user/`),
        api.call('POST', '/rest/v1/crmmap/', { user_id: person++ }),
        api.call('POST', '/rest/v1/usermerge/', { primary_user: person, users: [person + 1], address_user: person, source_user: person }),
      ]);
      person += 2;
      deepEqual(
        taken.map(({ statusCode }) => statusCode),
        [202, 202, 202, 201, 201],
      );
      const stops = await api.pool.query('select stop_requested from core_mailing where id = $1', [idIn(waiting)]);
      equal(stops.rows[0].stop_requested, true);
      equal(await statusOf(stopped), 'draft');
      equal((await api.read(schedule)).active, false);
      match(logged[0]?.refusal ?? '', new RegExp(refusal.message));
      equal((await api.read(`${ready}status/`)).status, 'draft');

      frontend.refuse = () => null;
      equal((await api.call('POST', `${ready}queue/`)).statusCode, 201);
    });
  }

  it('is a 503 and nothing half-done where there is no such namespace', async () => {
    const workflows = temporalWorkflows(new Client({ connection, namespace: 'nobody-made-it' }), log);
    const other = await startApi({}, undefined, workflows);
    await other.create('list', { name: 'News' });
    await insertPeople(other.pool, [{ id: 1, email: 'ann@example.org', lists: [1] }]);
    const mailing = await makeReady(other);
    const answer = await other.call('POST', `${mailing}queue/`);
    equal(answer.statusCode, 503, answer.body);
    equal((await other.read(mailing)).status, 'draft');
    match(logged[0]?.refusal ?? '', /nobody-made-it/);
    await other.close();
  });

  it('may have done what it was asked where it broke down over it: the mailing stays queued, and the answer says so', async () => {
    const mailing = await makeReady(api);
    frontend.refuse = () => ({ code: 13, message: 'panic' });
    const answer = await api.call('POST', `${mailing}queue/`);
    equal(answer.statusCode, 503, answer.body);
    match(answer.body, /may have been started/);
    equal(await statusOf(mailing), 'queued');
  });

  it('is asked again where it has too much to do: nobody notices a limit of some seconds', async () => {
    const mailing = await makeReady(api);
    frontend.refuse = () => ({ code: 8, message: 'namespace rate limit exceeded' });
    setTimeout(() => {
      frontend.refuse = () => null;
    }, 1_500);
    equal((await api.call('POST', `${mailing}queue/`)).statusCode, 201);
  });

  it('has changed nothing where it has too much to do for longer: that is no answer that did not come, and its operators read why', async () => {
    const mailing = await makeReady(api);
    frontend.refuse = () => ({ code: 8, message: 'namespace rate limit exceeded' });
    const answer = await api.call('POST', `${mailing}queue/`);
    equal(answer.statusCode, 503, answer.body);
    match(answer.body, /refuses what it is asked; nothing was changed/);
    equal(await statusOf(mailing), 'draft');
    match(logged[0]?.refusal ?? '', /namespace rate limit exceeded/);
  });
});
