import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionBudget } from '../../config/connection-budget.ts';
import { readEnv } from '../../config/env.ts';
import { freePort } from '../../embedded/ports.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { dataFolder } from '../support/data-folder.ts';
import { atEnd } from '../support/endings.ts';
import { readyMailing } from '../support/replicated-platform.ts';
import { createNamespace } from '../support/temporal.ts';

const PEOPLE = 3_000;
const POOLS = { DATABASE_POOL: '3', DATABASE_LONG_POOL: '2', SEND_SLOTS: '2' };
const PATHS = ['/rest/v1/user/?_limit=5', '/rest/v1/user/1/', '/rest/v1/list/', '/rest/v1/mailer/'];
const CALLERS = 60;
const ROUNDS = 10;

describe('an API and a worker that have much to do', () => {
  it('ask for no more connections to the database than the settings give them', async () => {
    const sink = await startSmtpSink({ keep: 0 });
    const postgres = await startPostgres({ dataDir: dataFolder() });
    const { address, namespace } = await createNamespace();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const places = { DATABASE_URL: postgres.url, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, SMTP_URL: sink.url };
    const env = { ...process.env, ...places, ...POOLS, PORT: String(port), BASE_URL: url, DATA_DIR: dataFolder() };
    const logFolder = dataFolder();
    await runProgram('migrate', { logFolder, env });
    const parts = [await startApiProcess({ logFolder, env }, url), await startWorkerProcess({ logFolder, env }, 1)];
    const watcher = new pg.Client({ connectionString: Object.assign(new URL(postgres.url), { username: 'postgres' }).href });
    await watcher.connect();
    atEnd(async () => {
      await watcher.end();
      await Promise.all(parts.map((part) => part.stop()));
      await postgres.stop();
      await sink.close();
    });
    const api = new ApiClient(url, 'admin', 'admin-password');
    await api.write('POST', '/rest/v1/list/', { name: 'Everybody' });
    await loadCrowd(postgres.url, PEOPLE, 1, ['CA'], () => {});
    const mailings = [await readyMailing(api, {}), await readyMailing(api, {})];

    let most = 0;
    let over = false;
    const watching = (async () => {
      for (; !over; await sleep(5)) {
        const { rows } = await watcher.query(`select count(*)::int as n from pg_stat_activity where usename = 'campaign'`);
        most = Math.max(most, rows[0].n);
      }
    })();
    for (const mailing of mailings) await api.write('POST', `${mailing}queue/`);
    const headers = { authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}` };
    const caller = async (n: number) => {
      for (let round = 0; round < ROUNDS; round++) {
        const answer = await fetch(url + PATHS[(n + round) % PATHS.length]!, { headers });
        await answer.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)));
    for (const mailing of mailings) await api.poll(`${mailing}progress/`, 100);
    over = true;
    await watching;
    const budget = connectionBudget(readEnv(POOLS));
    assert.ok(most <= budget.api + budget.worker, `${most} connections, and ${budget.api} + ${budget.worker} are meant to be the most`);
    assert.ok(most > (budget.api + budget.worker) / 2, `${most} connections: they had not much to do`);
  });
});
