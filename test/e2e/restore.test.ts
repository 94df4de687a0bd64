import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { writeBackup } from '../../core/backup/dump.ts';
import { BackupError, readManifest } from '../../core/backup/format.ts';
import { loadBackup } from '../../core/backup/load.ts';
import { freePort } from '../../embedded/ports.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { runProgram, startApiProcess, startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { loadCrowd } from '../../tools/demo/crowd.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { atEnd } from '../support/endings.ts';
import { createNamespace } from '../support/temporal.ts';

const PEOPLE = 1500;
const CONNECTIONS = 8;

describe('a backup', () => {
  const backup = join(dataFolder(), 'backup');
  const mails = new Map<string, number>();
  let smtpUrl: string;
  let lost: string;

  before(async () => {
    const sink = await startSmtpSink({ onMail: ({ to }) => void mails.set(to[0]!, (mails.get(to[0]!) ?? 0) + 1) });
    atEnd(() => sink.close());
    smtpUrl = sink.url;
    lost = await createDatabase();
  });

  /** API and worker on a database, with a workflow service that knows nothing of before. */
  async function platformOn(databaseUrl: string) {
    const { address, namespace } = await createNamespace();
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const settings = {
      PORT: String(port),
      BASE_URL: baseUrl,
      DATA_DIR: dataFolder(),
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      SMTP_URL: smtpUrl,
      SMTP_CONNECTIONS: String(CONNECTIONS),
      SEND_LEASE_SECONDS: '2',
    };
    const program = { logFolder: dataFolder(), env: { ...process.env, ...settings } };
    await runProgram('migrate', program);
    const processes = [await startApiProcess(program, baseUrl), await startWorkerProcess(program, 1)];
    atEnd(() => Promise.all(processes.map((child) => child.stop())));
    return { api: new ApiClient(baseUrl, 'admin', 'admin-password'), processes };
  }

  const ended = (api: ApiClient) =>
    api.poll<{ finished: boolean; uncertain: number; progress: number; status: string }>('/rest/v1/mailer/1/progress/', 200);

  it('is taken of a platform that died in the middle of a send', async () => {
    const { api, processes } = await platformOn(lost);
    await api.write('POST', '/rest/v1/list/', { name: 'Everybody' });
    await api.write('POST', '/rest/v1/list/', { name: 'Later' });
    await loadCrowd(lost, PEOPLE, 1, ['CA', 'NY'], () => {});
    const mailing = {
      subjects: ['Hello'],
      html: '<p>Hello {{ user.first_name }}</p>',
      fromline: 'news@example.org',
      includes: { lists: ['Everybody'] },
    };
    await api.write('POST', '/rest/v1/mailer/', { ...mailing, mails_per_second: 400 });
    await api.write('POST', '/rest/v1/mailer/', { ...mailing, scheduled_for: '2100-01-01T12:00:00' });
    for (const id of [1, 2]) await api.poll(await api.write('POST', `/rest/v1/mailer/${id}/rebuild/`), 100);
    await api.write('POST', '/rest/v1/mailer/2/queue/');
    await api.write('POST', '/rest/v1/mailer/1/queue/');
    while (mails.size < PEOPLE / 4) await sleep(5);
    for (const child of processes) process.kill(child.pid, 'SIGKILL');
    await Promise.all(processes.map((child) => child.exited));

    // Triggers write down what fast rebuilds of this cluster need to know; in another it means nothing, and must not be in the way.
    const client = new pg.Client({ connectionString: lost });
    await client.connect();
    await client.query('truncate core_blackholedemail');
    await client.query(`
      insert into core_mailingnotice (mailing_id, kind, status) values (1, 'completed', 'pending'), (1, 'completed', 'sending');
      insert into core_backgroundtask (short_name, statement, emails, status)
        values ('mailed', '{"text": "select 1", "values": []}', '["boss@example.org"]', 'running'),
          ('kept', '{"text": "select 1", "values": []}', '[]', 'pending');
      insert into core_backgroundtask (short_name, statement, emails, status, mails_begun, mails_over)
        values ('half-mailed', '{"text": "select 1", "values": []}', '["boss@example.org", "aide@example.org"]', 'completed', 2, 1);`);
    const noted = await client.query('select from targeting_gone');
    const people = await client.query('select count(*)::int as n from send_record');
    await client.end();
    assert.ok(noted.rowCount, 'something is noted');
    assert.equal(people.rows[0].n, 2 * PEOPLE);

    const { tables } = await writeBackup(lost, backup);
    assert.ok(mails.size < PEOPLE, 'half-sent');
    for (const table of ['send_set', 'send_log']) assert.ok(tables.find(({ name }) => name === table)?.rows, table);
    for (const file of readdirSync(backup)) assert.equal(statSync(join(backup, file)).mode & 0o077, 0, `${file} is its owner's alone`);
    await assert.rejects(writeBackup(lost, backup), BackupError, 'a folder is used once');
  });

  it('is of one moment where two are written into one folder at once: the second is refused, and takes nothing of the first away', async () => {
    const folder = dataFolder();
    const both = await Promise.allSettled([1, 2].map(() => writeBackup(lost, folder)));
    const [refused, ...others] = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    assert.deepEqual(others, []);
    assert.ok(refused instanceof BackupError, `${refused}`);
    assert.match(refused.message, /^Another backup is being written into /);
    assert.deepEqual(readdirSync(folder).sort(), readdirSync(backup).sort());
  });

  it('brings back every row in a fresh cluster, and the rest of the mailing goes to exactly the rest', async () => {
    const fresh = await startPostgres({ dataDir: dataFolder() });
    atEnd(() => fresh.stop());
    const { held } = await loadBackup(fresh.url, backup);
    assert.deepEqual(held, { stopped: 1, drafts: 1, jobs: 4 });
    assert.deepEqual(await waiting(fresh.url), { notices: [], reports: ['kept'] });
    assert.deepEqual(await contents(fresh.url), await contents(lost));
    await assert.rejects(loadBackup(fresh.url, backup), /not empty/);

    const { api } = await platformOn(fresh.url);
    for (const [id, status] of [
      [1, 'stopped'],
      [2, 'draft'],
    ]) {
      const document = await api.read<{ status: string; errors: string[] }>(`/rest/v1/mailer/${id}/status/`);
      assert.equal(document.status, status);
      assert.match(JSON.stringify(document), /restored from a backup of /);
    }
    await sleep(1000);
    const before = mails.size;
    await api.write('POST', '/rest/v1/mailer/1/queue/');
    const { status, progress, uncertain } = await ended(api);
    assert.equal(status, 'completed');
    assert.equal(progress + uncertain, PEOPLE);
    assert.ok(uncertain <= 2 * CONNECTIONS, `${uncertain} uncertain`);
    assert.deepEqual(
      [...mails.values()].filter((count) => count > 1),
      [],
      'nobody twice',
    );
    assert.ok(mails.size > before && mails.size >= PEOPLE - uncertain, 'nobody forgotten');
    // What is made after it collides neither with what came back nor with what was lost.
    assert.match(await api.write('POST', '/rest/v1/list/', { name: 'New' }), /\/1000003\/$/);
  });

  it('has nothing in it of the cluster it came from at the moment its rows are there: a restore may be cut off then', async () => {
    const fresh = await startPostgres({ dataDir: dataFolder() });
    atEnd(() => fresh.stop());
    const client = new pg.Client({ connectionString: fresh.url });
    await client.connect();
    let over = false;
    const restored = loadBackup(fresh.url, backup).finally(() => {
      over = true;
    });
    const look = () =>
      client.query(`select (select count(*)::int from core_user) as people,
        (select count(*)::int from targeting_gone) + (select count(*)::int from targeting_base) as noted`);
    let seen = { people: 0, noted: 0 };
    // Until there are tables it is refused; while they are filled it waits.
    while (!seen.people && !over)
      seen = await look().then(
        ({ rows }) => rows[0],
        () => sleep(5, seen),
      );
    await client.end();
    await restored;
    assert.deepEqual(seen, { people: PEOPLE, noted: 0 });
  });

  it('is refused when it is not whole or not known', async () => {
    await assert.rejects(loadBackup(lost, dataFolder()), /holds no whole backup/);
    const cut = dataFolder();
    writeFileSync(join(cut, 'manifest.json'), '{"format": 1, "tables": [');
    await assert.rejects(loadBackup(lost, cut), /manifest\.json is cut short/);
  });

  it('is refused where a file is whole but of another moment: a copy over an older backup that was cut off, say', async () => {
    const fresh = await startPostgres({ dataDir: dataFolder() });
    atEnd(() => fresh.stop());
    const mixed = dataFolder();
    cpSync(backup, mixed, { recursive: true });
    const file = join(mixed, 'core_subscription.gz');
    const [first] = gunzipSync(readFileSync(file)).toString().split('\n');
    writeFileSync(file, gzipSync(`${first}\n`));
    const { rows } = readManifest(backup).tables.find(({ name }) => name === 'core_subscription')!;
    const words = `The backup's file of core_subscription is not the one that was written with it: it has 1 rows in place of ${rows}`;
    await assert.rejects(loadBackup(fresh.url, mixed), (error: Error) => error instanceof BackupError && error.message === words);
  });
});

/** Every table, row for row, but for what restoring changes on purpose. */
async function contents(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relname not in
         ('schema_migration', 'core_mailing', 'core_mailingnotice', 'core_backgroundtask', 'targeting_base', 'targeting_gone') order by 1`,
    );
    const sums: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await client.query(
        `select count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as sum from public."${name}" t`,
      );
      sums[name] = rows[0].sum;
    }
    return sums;
  } finally {
    await client.end();
  }
}

/** What would be mailed by itself, and reports that are run. */
async function waiting(url: string): Promise<{ notices: number[]; reports: string[] }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`
      select (select coalesce(json_agg(id), '[]') from core_mailingnotice where status in ('pending', 'sending')) as notices,
        (select coalesce(json_agg(short_name), '[]') from core_backgroundtask
          where status in ('pending', 'running') or (status = 'completed' and mails_over < jsonb_array_length(emails))) as reports`);
    return rows[0];
  } finally {
    await client.end();
  }
}
