import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newConnection } from '../../db/driver.ts';
import type { Child } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { dataFolder } from '../support/data-folder.ts';
import { certificateFiles, mutualTlsTo, tlsOnlyPostgres } from '../support/encrypted.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

const PEOPLE = 2000;

/**
 * The processes of temporal-docker-compose.yml, started by hand: two of the API, three workers. Database and workflow service come from outside; one refuses
 * whoever is not encrypted, the other whoever shows no certificate. Secrets come in files.
 */
describe('production, as the compose file has it', () => {
  const mails = new Map<string, number>();
  const logFolder = dataFolder();
  const secrets = { ADMIN_PASSWORD: random(), SECRET_KEY: random(), SMTP_PASSWORD: random() };
  let databasePassword: string;
  let databaseUrl: string;
  let env: Record<string, string | undefined>;
  let parts: Child[] = [];
  let apis: ApiClient[];

  before(async () => {
    const auth = { user: 'relay-user', password: secrets.SMTP_PASSWORD, methods: ['PLAIN'] as const };
    const sink = await startSmtpSink({ offers: { auth }, onMail: ({ to }) => void mails.set(to[0]!, (mails.get(to[0]!) ?? 0) + 1) });
    const postgres = await tlsOnlyPostgres();
    databaseUrl = `${postgres.url}?sslmode=verify-full&sslrootcert=${postgres.certFile}`;
    const { address, namespace } = await createNamespace();
    const [server, client] = [certificateFiles(), certificateFiles()];
    const door = await mutualTlsTo(address, server, client);
    databasePassword = new URL(postgres.url).password;
    const ports = [await freePort(), await freePort()];
    env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'production',
      DATA_DIR: dataFolder(),
      BASE_URL: 'https://campaign.example.org',
      DATABASE_URL_FILE: secretFile(databaseUrl),
      TEMPORAL_ADDRESS: door.address,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: server.certFile,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.certFile,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.keyFile,
      TEMPORAL_NAMESPACE: namespace,
      SMTP_URL: `smtp://relay-user:${secrets.SMTP_PASSWORD}@127.0.0.1:${sink.port}?requireTLS=false`,
      MAIL_DOMAIN: 'mail.example.org',
      DEFAULT_FROM: 'news@example.org',
      ADMIN_PASSWORD: secrets.ADMIN_PASSWORD,
      SECRET_KEY_FILE: secretFile(secrets.SECRET_KEY),
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
    await loadCrowd(databaseUrl, PEOPLE, 1, ['CA'], () => {});
    atEnd(async () => {
      await Promise.all(parts.map((part) => part.stop()));
      door.close();
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

  it('has every connection to the database encrypted: of pools, ORM, reports and commands', async () => {
    const client = newConnection(databaseUrl.replace('//campaign:', '//postgres:'));
    await client.connect();
    let over = false;
    const reading = apis[0]!
      .read('/rest/v1/report/run/sql/?query=select%20count(*)%20from%20core_user%20a%20cross%20join%20core_user%20b')
      .finally(() => {
        over = true;
      });
    const connections = new Map<string, Set<boolean>>();
    const all = ['campaign', 'campaign_report'];
    while (!over) {
      const { rows } = await client.query(
        `select usename, ssl from pg_stat_activity join pg_stat_ssl using (pid) where datname = 'campaign' and usename <> 'postgres'`,
      );
      for (const { usename, ssl } of rows) connections.set(usename, (connections.get(usename) ?? new Set()).add(ssl));
    }
    await Promise.all([reading, client.end()]);
    assert.deepEqual(
      [...connections].sort().map(([login, ssl]) => [login, [...ssl]]),
      all.map((login) => [login, [true]]),
    );
  });

  it('says in a sentence what is wrong with a connection that is not encrypted, or shows no certificate', async () => {
    const said = (more: object) => runProgram('migrate', { logFolder: dataFolder(), env: { ...env, ...more } }).then(() => '', String);
    const plain = { DATABASE_URL_FILE: undefined, DATABASE_URL: databaseUrl.replace(/\?.*/, '') };
    assert.match(
      await said(plain),
      /DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ refuses the connection: no pg_hba\.conf entry .* no encryption/,
    );
    const bare = { TEMPORAL_TLS_CLIENT_CERT_PATH: undefined, TEMPORAL_TLS_CLIENT_KEY_PATH: undefined };
    assert.match(await said(bare), /TEMPORAL_ADDRESS/);
    assert.match(
      await said({ ...bare, TEMPORAL_TLS_CLIENT_KEY_PATH: '/dev/null' }),
      /TEMPORAL_TLS_CLIENT_CERT_PATH and .* need each other/,
    );
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

function secretFile(secret: string): string {
  const file = join(dataFolder(), 'secret');
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return file;
}

function random(): string {
  return randomBytes(18).toString('hex');
}
