import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReplicatedPlatform, readyMailing, replicatedPlatform } from '../support/replicated-platform.ts';

const PEOPLE = 3000;
const FEW = Array.from({ length: 20 }, (_, n) => n + 1);

interface Progress {
  finished: boolean;
  status: string;
  progress: number;
  errors: string[];
}

describe('an asynchronous standby that is promoted without the last commits', function () {
  this.timeout(300_000);
  let platform: ReplicatedPlatform;

  before(async () => {
    platform = await replicatedPlatform(PEOPLE);
    await platform.postgres.setSynchronous(false);
  });

  it('has every mailing held that was further than it knows, and mails nobody twice, though a worker goes down with the primary', async () => {
    const { api, mails, postgres, workers } = platform;
    // Longer than half a minute, so that both workers have a lane of it: the one that is left knows how far it was.
    const long = await readyMailing(api, { mails_per_second: 80 });
    // The standby hears that it waits for its time, and nothing more.
    const short = await readyMailing(api, { subjects: ['Short'], includes: { users: FEW }, scheduled_for: soon(6) });
    await api.write('POST', `${short}queue/`);
    await api.write('POST', `${long}queue/`);
    while (mails.size < 100) await sleep(10);
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
