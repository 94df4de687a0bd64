import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Child } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { dataFolder } from '../support/data-folder.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

const PEOPLE = 2000;

/** The processes of temporal-docker-compose.yml, started by hand: two of the API, three workers, database and workflow service from outside. */
describe('production, as the compose file has it', function () {
  this.timeout(180_000);
  const mails = new Map<string, number>();
  const logFolder = dataFolder();
  const secrets = { ADMIN_PASSWORD: random(), SECRET_KEY: random(), SMTP_PASSWORD: random() };
  let databasePassword: string;
  let parts: Child[] = [];
  let apis: ApiClient[];

  before(async () => {
    const auth = { user: 'relay-user', password: secrets.SMTP_PASSWORD, methods: ['PLAIN'] as const };
    const sink = await startSmtpSink({ offers: { auth }, onMail: ({ to }) => void mails.set(to[0]!, (mails.get(to[0]!) ?? 0) + 1) });
    const postgres = await startPostgres({ dataDir: dataFolder() });
    const { address, namespace } = await createNamespace();
    databasePassword = new URL(postgres.url).password;
    const ports = [await freePort(), await freePort()];
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'production',
      DATA_DIR: dataFolder(),
      BASE_URL: 'https://campaign.example.org',
      DATABASE_URL: postgres.url,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      SMTP_URL: `smtp://relay-user:${secrets.SMTP_PASSWORD}@127.0.0.1:${sink.port}?requireTLS=false`,
      MAIL_DOMAIN: 'mail.example.org',
      DEFAULT_FROM: 'news@example.org',
      ADMIN_PASSWORD: secrets.ADMIN_PASSWORD,
      SECRET_KEY: secrets.SECRET_KEY,
      LOG_LEVEL: 'info',
    };
    await Promise.all([1, 2].map(() => runProgram('migrate', { logFolder: dataFolder(), env })));
    const starting = ports.map((port, n) => {
      const program = { logFolder: join(logFolder, `api-${n}`), env: { ...env, PORT: String(port) } };
      return startApiProcess(program, `http://127.0.0.1:${port}`);
    });
    parts = await Promise.all([...starting, ...[1, 2, 3].map((n) => startWorkerProcess({ logFolder, env }, n))]);
    apis = ports.map((port) => new ApiClient(`http://127.0.0.1:${port}`, 'admin', secrets.ADMIN_PASSWORD));
    await apis[0]!.write('POST', '/rest/v1/list/', { name: 'Everybody' });
    await loadCrowd(postgres.url, PEOPLE, 1, ['CA'], () => {});
    atEnd(async () => {
      await Promise.all(parts.map((part) => part.stop()));
      await postgres.stop();
      await sink.close();
    });
  });

  it('sends a mailing asked for at one API and watched at the other, to each once', async () => {
    const [one, other] = apis as [ApiClient, ApiClient];
    assert.equal((await other.read<{ status: string }>('/health/ready')).status, 'ok');
    const mailing = await one.write('POST', '/rest/v1/mailer/', {
      subjects: ['Hello'],
      html: '<p>Hello</p>',
      fromline: 'news@example.org',
      includes: { lists: ['Everybody'] },
    });
    assert.match(mailing, /^https:\/\/campaign\.example\.org\//);
    const path = new URL(mailing).pathname;
    await other.poll(new URL(await one.write('POST', `${path}rebuild/`)).pathname, 100);
    await other.write('POST', `${path}queue/`);
    const done = await one.poll<{ finished: boolean; status: string; progress: number }>(`${path}progress/`, 100);
    assert.deepEqual([done.status, done.progress, mails.size], ['completed', PEOPLE, PEOPLE]);
    assert.ok([...mails.values()].every((count) => count === 1));
  });

  it('ends in order, every process with code 0', async () => {
    await Promise.all(parts.map((part) => part.stop()));
    assert.deepEqual(
      await Promise.all(parts.map((part) => part.exited)),
      parts.map(() => 'code 0'),
    );
  });

  it('has written no secret and no address into its logs', () => {
    const logs = globSync('**/*.log', { cwd: logFolder }).map((file) => readFileSync(join(logFolder, file), 'utf8'));
    assert.equal(logs.length, 5);
    assert.ok(
      logs.every((log) => log.includes('"msg"')),
      'all of them have said something',
    );
    const basic = Buffer.from(`admin:${secrets.ADMIN_PASSWORD}`).toString('base64');
    for (const secret of [...Object.values(secrets), databasePassword, basic, [...mails.keys()][0]!, '@']) {
      assert.deepEqual(
        logs.flatMap((log) => log.split('\n').filter((line) => line.includes(secret))),
        [],
      );
    }
  });
});

function random(): string {
  return randomBytes(18).toString('hex');
}
