import { equal } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRun } from '../../activities/start-run.ts';
import { workflowId } from '../../workflows/contracts.ts';
import { idIn } from '../support/mailings.ts';
import { wholePlatform } from '../support/whole-platform.ts';

describe('a report in the background whose run was terminated', () => {
  it('is pending again where it is begun anew and waits for a place', async () => {
    const platform = await wholePlatform({}, []);
    const { api, place, post, watch } = platform;
    await api.create('queryreport', { name: 'Long', short_name: 'long', sql: 'select count(*) from generate_series(1, 100000000000) g' });
    const begin = async () => {
      const uri = await post('/rest/v1/report/background/long/');
      return { uri, run: place.client.workflow.getHandle(workflowId.runReport(idIn(uri))) };
    };
    const running = ({ uri }: { uri: string }) => watch(uri, ({ status }) => status === 'running');
    const ended = await begin();
    await running(ended);
    await ended.run.terminate();
    // An account has one place: this one has it from now on.
    const other = await begin();
    await running(other);
    equal(await startRun(place.client, 'runReport', { jobId: idIn(ended.uri) }), true);
    while (!(await ended.run.describe()).raw.pendingActivities?.[0]?.lastFailure) await sleep(50);
    equal((await api.read(ended.uri)).status, 'pending');
    await other.run.cancel();
    await running(ended);
    await ended.run.cancel();
    await watch(ended.uri);
    await platform.close();
  });
});
