import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { workflowId } from '../../workflows/contracts.ts';
import { idIn } from '../support/mailings.ts';
import { type ReplicatedPlatform, readyMailing, replicatedPlatform } from '../support/replicated-platform.ts';

const PEOPLE = 6000;
const FEW = Array.from({ length: 20 }, (_, n) => n + 1);

interface Progress {
  finished: boolean;
  status: string;
  progress: number;
  errors: string[];
}

describe('an asynchronous standby that is promoted without the last commits', () => {
  let platform: ReplicatedPlatform;

  before(async () => {
    platform = await replicatedPlatform(PEOPLE);
    await platform.postgres.setSynchronous(false);
  });

  it('has every mailing held that was further than it knows, and mails nobody twice, though a worker goes down with the primary', async () => {
    const { api, mails, postgres, workers, temporal } = platform;
    // Longer than half a minute, so that both workers have a lane of it: the one that is left knows how far it was.
    const long = await readyMailing(api, { mails_per_second: 80 });
    await api.write('POST', `${long}queue/`);
    const run = temporal.workflow.getHandle(workflowId.sendMailing(idIn(long)));
    const atWork = async () => {
      const { pendingActivities } = (await run.describe()).raw;
      return new Set(pendingActivities?.flatMap(({ lastWorkerIdentity }) => lastWorkerIdentity || [])).size;
    };
    while ((await atWork()) < workers.length) await sleep(50);
    // The standby hears that it waits for its time, and nothing more.
    const short = await readyMailing(api, { subjects: ['Short'], includes: { users: FEW }, scheduled_for: soon(3600) });
    await api.write('POST', `${short}queue/`);
    while (mails.size < 100) await sleep(10);
    await api.write('PATCH', short, { scheduled_for: soon(8) });
    await postgres.stopStandby();
    assert.equal((await api.read<Progress>(`${short}progress/`)).status, 'scheduled');
    await api.poll<Progress>(`${short}progress/`, 50);
    const before = (await api.read<Progress>(`${long}progress/`)).progress;
    assert.equal((await api.read<Progress>(`${long}progress/`)).finished, false);
    // What it held is free for the other, which knows nothing of it.
    process.kill(workers[0]!.pid, 'SIGKILL');
    await postgres.failOver();

    const held = await api.poll<Progress>(`${long}progress/`, 100);
    assert.deepEqual([held.status, held.errors.length], ['died', 1]);
    assert.match(held.errors[0]!, /^the database lost commits/);
    assert.ok(held.progress < before, `${held.progress} of ${before} are known`);
    const other = await api.poll<Progress>(`${short}progress/`, 200);
    assert.equal(other.status, 'died');
    assert.match(other.errors[0]!, /^the database lost commits/);
    const twice = [...mails.values()].filter((count) => count > 1).length;
    assert.equal(twice, 0, `${twice} mailed twice`);
  });
});

const soon = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19);
