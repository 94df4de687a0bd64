import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../embedded/ports.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { dataFolder } from '../support/data-folder.ts';
import { atEnd } from '../support/endings.ts';
import { readyMailing } from '../support/replicated-platform.ts';

const PEOPLE = 50;
const WITHIN_MS = 60_000;

describe('API and worker that are started before anything else is there', () => {
  it('live, are not ready, and are so by themselves when database, Temporal and migration have come, in that order', async () => {
    const logFolder = dataFolder();
    // The places where database and Temporal will be.
    const [databaseFolder, temporalFolder] = [dataFolder(), dataFolder()];
    const say = () => {};
    const first = await startPostgres({ dataDir: databaseFolder });
    await first.stop();
    const early = await startTemporal({ dataDir: temporalFolder, namespace: 'default', persistent: true, say });
    await early.stop();
    const sink = await startSmtpSink({ keep: 0 });
    const [port, health] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataFolder(),
      DATABASE_URL: first.url,
      TEMPORAL_ADDRESS: early.address,
      TEMPORAL_NAMESPACE: 'campaign',
      SMTP_URL: sink.url,
      WORKER_HEALTH: `127.0.0.1:${health}`,
    };
    const worker = await startWorkerProcess({ logFolder, env }, 1);
    const server = await startApiProcess({ logFolder, env }, url);
    atEnd(async () => {
      await Promise.all([server.stop(), worker.stop()]);
      await sink.close();
    });
    const status = async (path: string) => (await fetch(path)).status;
    const doors = [url, `http://127.0.0.1:${health}`];
    const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
      for (const giveUp = Date.now() + WITHIN_MS; !(await holds()); await sleep(50))
        assert.ok(Date.now() < giveUp, `not within a minute: ${what}`);
    };
    const log = () => (existsSync(join(logFolder, 'worker-1.log')) ? readFileSync(join(logFolder, 'worker-1.log'), 'utf8') : '');
    await until('the worker says what it waits for', () => log().includes('TEMPORAL_ADDRESS: no Temporal server answers at'));
    for (const door of doors) assert.deepEqual([await status(`${door}/health/live`), await status(`${door}/health/ready`)], [200, 503]);

    const postgres = await startPostgres({ dataDir: databaseFolder });
    atEnd(() => postgres.stop());
    const temporal = await startTemporal({ dataDir: temporalFolder, namespace: 'default', persistent: true, say });
    atEnd(() => temporal.stop());
    assert.deepEqual([postgres.url, temporal.address], [first.url, early.address]);
    await runProgram('migrate', { logFolder, env });
    for (const door of doors) await until(`${door} is ready`, async () => (await status(`${door}/health/ready`)) === 200);

    const api = new ApiClient(url, 'admin', 'admin-password');
    await api.write('POST', '/rest/v1/list/', { name: 'Everybody' });
    await loadCrowd(postgres.url, PEOPLE, 1, ['CA'], () => {});
    const mailing = await readyMailing(api, {});
    await api.write('POST', `${mailing}queue/`);
    const { status: end, progress } = await api.poll<{ finished: boolean; status: string; progress: number }>(`${mailing}progress/`, 100);
    assert.deepEqual([end, progress], ['completed', PEOPLE]);
  });
});
