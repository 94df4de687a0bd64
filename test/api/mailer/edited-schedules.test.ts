import { deepEqual, equal } from 'node:assert/strict';
import { ScheduleOverlapPolicy, type ScheduleUpdateOptions } from '@temporalio/client';
import { ensureRecurring } from '../../../activities/recurring.ts';
import { temporalWorkflows } from '../../../api/plugins/workflows.ts';
import { workflowId } from '../../../workflows/contracts.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { createNamespace, PatientClient, type TestNamespace } from '../../support/temporal.ts';

describe('the schedule of a recurring mailing that was edited by hand', () => {
  let place: TestNamespace;
  let api: TestApi;
  before(async () => {
    place = await createNamespace();
    place.client = new PatientClient({ connection: place.client.connection, namespace: place.namespace });
    api = await startApi({}, undefined, temporalWorkflows(place.client));
  });
  after(() => api?.close());

  async function recurring() {
    const mailing = await api.create('mailer', READY);
    const uri = await api.create('recurringschedule', { mailing, period: 'daily', hour: 5, timezone: 'Europe/Berlin' });
    const handle = place.client.schedule.getHandle(workflowId.runRecurring(idIn(mailing)));
    const edit = (change: Partial<ScheduleUpdateOptions>) => handle.update((before) => ({ ...before, ...change }) as ScheduleUpdateOptions);
    const rest = async () => {
      const { policies, state } = await handle.describe();
      return [policies.overlap, policies.catchupWindow, policies.pauseOnFailure, state.remainingActions];
    };
    return { uri, handle, edit, rest };
  }
  const sweep = () => ensureRecurring({ pool: api.pool, temporal: place.client, env: api.env });

  it('does not end after a few runs, whoever mends it: the sweep, or who gives it another time', async () => {
    const { uri, edit, rest, handle } = await recurring();
    const meant = await rest();
    equal(meant.at(-1), undefined);
    await edit({ state: { paused: true, note: 'for a while', remainingActions: 1 } });
    equal(await sweep(), 1);
    deepEqual(await rest(), meant);
    const { state } = await handle.describe();
    deepEqual([state.paused, state.note], [true, 'for a while'], 'a pause stays');
    equal(await sweep(), 0);
    await edit({ state: { paused: false, remainingActions: 1 } });
    equal((await api.call('PATCH', uri, { hour: 7 })).statusCode, 202);
    deepEqual(await rest(), meant);
  });

  it('starts no two runs at once, makes up for no time that is long past, and is not paused by a run that fails', async () => {
    const { edit, rest } = await recurring();
    const meant = await rest();
    const { SKIP, ALLOW_ALL } = ScheduleOverlapPolicy;
    for (const policies of [
      { overlap: ALLOW_ALL, catchupWindow: '10 minutes' },
      { overlap: SKIP, catchupWindow: '1 year' },
      { overlap: SKIP, catchupWindow: '10 minutes', pauseOnFailure: true },
    ] as const) {
      await edit({ policies });
      equal(await sweep(), 1);
      deepEqual(await rest(), meant);
    }
    equal(await sweep(), 0);
  });

  it('starts runs without a limit of time, which are found by what they are about', async () => {
    const { handle } = await recurring();
    const { action: meant } = await handle.describe();
    for (const change of [
      { workflowRunTimeout: '1 second' },
      { workflowExecutionTimeout: '1 second' },
      { searchAttributes: {}, typedSearchAttributes: [] },
    ] as const) {
      await handle.update((before) => ({ ...before, action: { ...before.action, ...change } }) as ScheduleUpdateOptions);
      equal(await sweep(), 1, JSON.stringify(change));
      const { action } = await handle.describe();
      deepEqual(action, meant);
    }
    equal(await sweep(), 0);
  });
});
