import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rolePassword } from '../../db/report-login.ts';
import { freePort } from '../../embedded/ports.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { startPooler, whyNoPooler } from '../../tools/cluster/pooler.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { dataFolder } from '../support/data-folder.ts';
import { atEnd } from '../support/endings.ts';
import { readyMailing } from '../support/replicated-platform.ts';
import { createNamespace } from '../support/temporal.ts';

const PEOPLE = 500;
const SECRET_KEY = 'a-key-of-this-test';

describe('behind a pooler that gives each transaction another connection', () => {
  let direct: string;
  let logins: Record<string, string>;
  let env: Record<string, string | undefined>;
  let api: ApiClient;
  const mails: string[] = [];

  before(async function () {
    const reason = whyNoPooler();
    if (reason !== null) {
      console.log(`      ${reason}: nothing was run through a pooler`);
      return this.skip();
    }
    const sink = await startSmtpSink({ onMail: ({ to }) => void mails.push(to[0]!) });
    atEnd(() => sink.close());
    const postgres = await startPostgres({ dataDir: dataFolder() });
    atEnd(() => postgres.stop());
    direct = postgres.url;
    logins = { campaign: new URL(direct).password, campaign_report: rolePassword({ SECRET_KEY, STATEMENT_TIMEOUT_MS: 0 }) };
    const pooler = await startPooler(dataFolder(), direct, logins);
    atEnd(() => pooler.stop());
    const { address, namespace } = await createNamespace();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    env = {
      ...process.env,
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataFolder(),
      DATABASE_URL: pooler.url,
      SECRET_KEY,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      SMTP_URL: sink.url,
      STATEMENT_TIMEOUT_MS: '2000',
    };
  });

  it('migrates, three at once', async () => {
    await Promise.all([1, 2, 3].map(() => runProgram('migrate', { logFolder: dataFolder(), env })));
  });

  it('sends a mailing, and runs reports, at once and in the background', async () => {
    const logFolder = dataFolder();
    const parts = [await startApiProcess({ logFolder, env }, env['BASE_URL']!), await startWorkerProcess({ logFolder, env }, 1)];
    atEnd(() => Promise.all(parts.map((part) => part.stop())));
    api = new ApiClient(env['BASE_URL']!, 'admin', 'admin-password');
    await api.write('POST', '/rest/v1/list/', { name: 'Everybody' });
    await loadCrowd(direct, PEOPLE, 1, ['CA'], () => {});
    const mailing = await readyMailing(api, {});
    await api.write('POST', `${mailing}queue/`);
    const { status, progress } = await api.poll<{ finished: boolean; status: string; progress: number }>(`${mailing}progress/`, 100);
    assert.deepEqual([status, progress, new Set(mails).size, mails.length], ['completed', PEOPLE, PEOPLE, PEOPLE]);

    const counted = await api.read<number[][]>('/rest/v1/report/run/sql/?query=select%20count(*)%20from%20core_user');
    assert.match(JSON.stringify(counted), new RegExp(`${PEOPLE}`));
    await api.write('POST', '/rest/v1/queryreport/', { name: 'All', short_name: 'all', sql: 'select id from core_user' });
    const task = await api.poll<{ finished: boolean; success: boolean; row_count: number }>(
      new URL(await api.write('POST', '/rest/v1/report/background/all/')).pathname,
      100,
    );
    assert.deepEqual([task.success, task.row_count], [true, PEOPLE]);
    for (const part of ['api', 'worker-1'])
      assert.doesNotMatch(readFileSync(join(logFolder, `${part}.log`), 'utf8'), /prepared statements/);
  });

  it('bounds a report in time, though its login brings no settings', async () => {
    const long = `/rest/v1/report/run/sql/?query=${encodeURIComponent('select count(*) from core_user a, core_user b, core_user c, core_list')}`;
    await assert.rejects(api.read(long), /400 .*takes longer than 2 seconds/);
  });

  it('answers hundreds of requests side by side', async () => {
    const paths = ['/rest/v1/user/?_limit=5', '/rest/v1/list/', '/rest/v1/mailer/', '/rest/v1/user/1/'];
    const headers = { authorization: `Basic ${Buffer.from('admin:admin-password').toString('base64')}` };
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const answer = await fetch(new URL(paths[n % paths.length]!, env['BASE_URL']), { headers });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    assert.deepEqual([...new Set(answers)], [200]);
  });

  it('says at the start that a pooler keeps no prepared statements', async () => {
    const forgetful = await startPooler(dataFolder(), direct, logins, { max_prepared_statements: '0' });
    atEnd(() => forgetful.stop());
    const logFolder = dataFolder();
    const port = await freePort();
    const worker = await startWorkerProcess({ logFolder, env: { ...env, PORT: String(port), DATABASE_URL: forgetful.url } }, 1);
    const log = () => readFileSync(join(logFolder, 'worker-1.log'), 'utf8');
    for (let waited = 0; waited < 200_000 && !/keeps no prepared statements/.test(log()); waited += 50) await sleep(50);
    await worker.stop();
    assert.match(log(), /DATABASE_URL: the pooler before the database keeps no prepared statements: pgbouncer has to be 1\.21/);
  });
});
