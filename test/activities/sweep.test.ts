import { deepEqual, rejects } from 'node:assert/strict';
import { createSweepActivities } from '../../activities/sweep.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { inActivity } from '../support/in-activity.ts';
import { READY } from '../support/mailings.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

describe('the sweep', () => {
  let api: TestApi;
  let place: TestNamespace;

  before(async function () {
    this.timeout(240_000);
    api = await startApi();
    place = await createNamespace();
  });
  after(() => api.close());

  it('starts everything else where something cannot be started, and says so then', async () => {
    const schedules: string[] = [];
    for (const period of ['daily', 'daily']) {
      const mailing = await api.create('mailer', READY);
      await api.create('recurringschedule', { mailing, period });
      schedules.push(workflowId.runRecurring(Number(mailing.split('/').at(-2))));
    }
    // As of a table of time zones that is newer than the workflow service's.
    await api.pool.query(`
      update core_recurringschedule set timezone = 'america/new_york' where id = (select min(id) from core_recurringschedule);
      insert into core_user (email) values ('ann@example.org');
      insert into core_erasure (user_id, options, updated_at) select id, '[]', now() - interval '1 hour' from core_user`);
    const log = { info() {}, warn() {}, error() {} };
    const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal: place.client, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await rejects(startForgotten(), /unknown time zone/);
    const { client } = place;
    const there = (found: Promise<unknown>) =>
      found.then(
        () => true,
        () => false,
      );
    deepEqual(
      await Promise.all([
        ...schedules.map((id) => there(client.schedule.getHandle(id).describe())),
        there(client.workflow.getHandle('user-erase-1').describe()),
      ]),
      [false, true, true],
    );
  });
});
