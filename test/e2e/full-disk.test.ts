import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import { dataFolder } from '../support/data-folder.ts';
import { type SmallDisk, smallDisk, whyNotMountable } from '../support/small-disk.ts';

describe('a disk that is full', () => {
  const dataDir = dataFolder();
  const env = readEnv({ PORT: '0', DATA_DIR: dataDir, WORKER_PROCESSES: '1' });
  const authorization = `Basic ${Buffer.from(`${env.ADMIN_USERNAME}:${env.ADMIN_PASSWORD}`).toString('base64')}`;
  const crashed: string[] = [];
  const disks: Record<string, SmallDisk> = {};
  let platform: Platform;
  let lists = 0;

  before(async function () {
    const why = whyNotMountable();
    if (why) {
      console.log(`      cannot be staged here, for no file system can be mounted: ${why}`);
      this.skip();
    }
    const sizes = { logs: '2m', uploads: '4m', reports: '1m', temporal: '32m', postgres: '400m' };
    for (const [name, size] of Object.entries(sizes)) disks[name] = smallDisk(join(dataDir, name), size);
    platform = await startPlatform(env, { onCrash: (name, how) => crashed.push(`${name} ${how}`), longestPauseMs: 1_000 });
  });
  after(() => platform?.stop());
  beforeEach(() => {
    crashed.length = 0;
  });
  afterEach(() => {
    for (const disk of Object.values(disks)) disk.free();
  });

  const call = (method: string, path: string, body?: unknown) =>
    fetch(new URL(path, platform.baseUrl), {
      method,
      headers: { authorization, ...(!(body instanceof FormData) && body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  const path = (answer: Response) => answer.headers.get('location')!.slice(platform.baseUrl.length);
  async function create(resource: string, body: object): Promise<string> {
    const answer = await call('POST', `/rest/v1/${resource}/`, body);
    assert.equal(answer.status, 201, await answer.text());
    return path(answer);
  }
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  async function until(what: string, over: (body: any) => boolean, withinMs = 60_000): Promise<any> {
    for (const end = Date.now() + withinMs; ; await sleep(100)) {
      const answer = await call('GET', what).catch(() => null);
      const body = answer?.ok ? await answer.json() : null;
      if (body && over(body)) return body;
      assert.ok(Date.now() < end, `${what} ${JSON.stringify(body)}`);
    }
  }
  /** What it says while something is wrong. */
  const doctor = () =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/cli.ts'), 'doctor'], {
      env: { ...process.env, DATA_DIR: dataDir, API_URL: platform.baseUrl },
    }).catch(({ stdout }) => stdout as string) as Promise<string>;
  async function csv(page: string, bytes: number): Promise<Response> {
    const form = new FormData();
    form.append('page', page);
    const lines = Array.from({ length: Math.ceil(bytes / 32) }, (_, n) => `somebody${n}@example.org`.padEnd(31));
    form.append('upload', new Blob([`email\n${lines.join('\n')}\n`]), 'people.csv');
    return call('POST', '/rest/v1/upload/', form);
  }

  it('of the logs ends neither API nor worker: lines are lost, and it is said how many when there is room again', async () => {
    const { logs } = disks;
    logs!.fill();
    const report = await create('queryreport', { name: 'Ones', short_name: 'ones', sql: 'select 1 as one' });
    for (let n = 0; n < 20; n++) {
      assert.equal((await call('GET', report)).status, 200);
      await create('list', { name: `News ${++lists}` });
    }
    // The worker logs what it does at level info, into a file of the same disk.
    const task = path(await call('POST', '/rest/v1/report/background/ones/'));
    await until(task, ({ success }) => success);
    logs!.free();
    await create('list', { name: `News ${++lists}` });
    const lines = readFileSync(join(logs!.folder, 'api.log'), 'utf8').trimEnd().split('\n');
    const said = lines.map((line) => (line.startsWith('{') && line.endsWith('}') ? JSON.parse(line) : {})).find(({ lost }) => lost);
    assert.ok(said?.lost >= 40, `lost ${said?.lost}`);
    assert.deepEqual(crashed, []);
  });

  it('of uploads is answered with 503: nothing was changed, nothing is left, and the next is taken when there is room', async () => {
    const { uploads } = disks;
    const list = await create('list', { name: `News ${++lists}` });
    const page = await create('importpage', { name: 'import', list });
    uploads!.fill();
    const refused = await csv(page, 1_000_000);
    assert.equal(refused.status, 503, await refused.clone().text());
    assert.match(await refused.text(), /no room left on the disk; nothing was changed/);
    assert.equal(refused.headers.get('retry-after'), '5');
    const { objects } = (await (await call('GET', '/rest/v1/upload/')).json()) as { objects: unknown[] };
    assert.equal(objects.length, 0);
    assert.deepEqual(readdirSync(uploads!.folder), ['ballast']);
    uploads!.free();
    const taken = await csv(page, 1_000);
    assert.equal(taken.status, 201, await taken.clone().text());
    await until(path(taken), ({ is_completed }) => is_completed);
    assert.deepEqual(crashed, []);
  });

  it('of reports’ results keeps a report waiting, with nothing half written, and it is done when there is room', async () => {
    const { reports } = disks;
    await create('queryreport', {
      name: 'Many',
      short_name: 'many',
      sql: 'select repeat(n::text, 100) as n from generate_series(1, 1000) n',
    });
    reports!.fill();
    const answer = await call('POST', '/rest/v1/report/background/many/');
    assert.equal(answer.status, 201, await answer.clone().text());
    await sleep(3_000);
    const task = path(answer);
    assert.equal((await until(task, () => true)).finished, false);
    assert.deepEqual(
      readdirSync(reports!.folder).filter((name) => /many|part/.test(name)),
      [],
    );
    reports!.free();
    const done = await until(task, ({ finished }) => finished);
    assert.deepEqual([done.success, done.row_count], [true, 1000], JSON.stringify(done));
    const download = await (await call('GET', done.download)).text();
    assert.equal(download.length, done.byte_count);
    assert.deepEqual(crashed, []);
  });

  it('of the workflow service is told as 503, truthfully, and what waits goes on when there is room', async () => {
    const { temporal } = disks;
    const list = await create('list', { name: `News ${++lists}` });
    const subjects = { subjects: ['Full'], html: '<p>Hello</p>', fromline: 'a@example.org', includes: { lists: [list] } };
    const mailing = await create('mailer', subjects);
    temporal!.fill();
    const answer = await call('POST', `${mailing}rebuild/`);
    const said = await answer.text();
    assert.equal(answer.status, 503, said);
    assert.match(said, /nothing was changed|may have been/);
    assert.equal((await call('GET', mailing)).status, 200);
    temporal!.free();
    await until('/health/ready', ({ status }) => status === 'ok');
    let again = await call('POST', `${mailing}rebuild/`);
    for (const end = Date.now() + 200_000; again.status === 503 && Date.now() < end; again = await call('POST', `${mailing}rebuild/`))
      await sleep(500);
    assert.equal(again.status, 201, await again.clone().text());
    assert.equal((await until(path(again), ({ finished }) => finished)).success, true);
    assert.deepEqual(
      crashed.filter((each) => !each.startsWith('temporal')),
      [],
    );
  });

  it('of the database is answered with 503 while reads go on, leaves nothing half done, and writes go on when there is room', async () => {
    const { postgres } = disks;
    const list = await create('list', { name: `News ${++lists}` });
    const page = await create('signuppage', { name: 'join', list });
    postgres!.fill();
    const answers = new Map<number, number>();
    let taken = 0;
    let said = '';
    for (const end = Date.now() + 200_000; Date.now() < end && (answers.get(503) ?? 0) < 20; ) {
      const wide = { page: 'join', email: `person${taken}-${Date.now()}@example.org`, action_why: 'x'.repeat(4_000) };
      const answer = await call('POST', '/rest/v1/action/', wide);
      if (answer.status === 201) taken++;
      else said = await answer.text();
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
    }
    assert.deepEqual(
      [...answers.keys()].filter((status) => status !== 201),
      [503],
      said,
    );
    assert.match(said, /no room left on the disk of the database; nothing was changed/);
    assert.match(await doctor(), /^WRONG +database +there is no room left on its disk/m);
    const read = await call('GET', list);
    assert.equal(read.status, 200, await read.text());
    postgres!.free();
    let again = await call('PATCH', page, { title: 'Again' });
    for (const end = Date.now() + 200_000; again.status === 503 && Date.now() < end; again = await call('PATCH', page, { title: 'Again' }))
      await sleep(500);
    assert.ok(again.ok, await again.clone().text());
    const counted = (await (await call('GET', `/rest/v1/action/?limit=1`)).json()) as { meta: { total_count: number } };
    assert.ok(counted.meta.total_count >= taken, `${counted.meta.total_count} of ${taken}`);
  });

  it('of the write-ahead log ends the database: 503 until there is room, then all goes on by itself and nothing that was answered is lost', async () => {
    const { postgres } = disks;
    const kept = await create('list', { name: `News ${++lists}` });
    postgres!.fill();
    // Each round takes a file of the log; the one for which there is no room is a PANIC of the server.
    const password = readFileSync(join(dataDir, 'postgres', 'password'), 'utf8').trim();
    const admin = new pg.Client({
      connectionString: Object.assign(new URL(platform.databaseUrl), { username: 'postgres', password }).href,
    });
    admin.on('error', () => {});
    await admin.connect();
    await assert.rejects(async () => {
      for (let n = 0; n < 60; n++) {
        await admin.query(`select pg_logical_emit_message(true, 'full', 'x')`);
        await admin.query('select pg_switch_wal()');
      }
    });
    const taken = [kept];
    const statuses = new Set<number>();
    for (const end = Date.now() + 200_000; Date.now() < end && !statuses.has(503); await sleep(50)) {
      const answer = await call('POST', '/rest/v1/list/', { name: `News ${++lists}` });
      statuses.add(answer.status);
      if (answer.status === 201) taken.push(path(answer));
      else assert.match(await answer.text(), /nothing was changed|may have been made/);
    }
    assert.ok(statuses.has(503) && [...statuses].every((status) => [201, 503].includes(status)), [...statuses].join(' '));
    assert.ok([200, 503].includes((await call('GET', kept)).status));
    postgres!.free();
    await until('/health/ready', ({ status }) => status === 'ok');
    for (const uri of taken) assert.equal((await call('GET', uri)).status, 200, uri);
    await create('list', { name: `News ${++lists}` });
    assert.deepEqual(
      crashed.filter((each) => !/^(postgres|worker)/.test(each)),
      [],
    );
  });

  it('of a backup is said in a sentence, and nothing is left that could be taken for one', async () => {
    const disk = smallDisk(join(dataDir, 'backups'), '8m');
    const folder = join(disk.folder, 'backup');
    const backup = () =>
      promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/backup.ts'), folder], {
        env: { ...process.env, DATABASE_URL: platform.databaseUrl },
      });
    disk.fill();
    await assert.rejects(backup(), ({ code, stderr }) => {
      assert.deepEqual(
        [code, stderr],
        [1, `There is no room for the backup on the disk of ${folder}; what was written of it is removed\n`],
      );
      return true;
    });
    assert.deepEqual(readdirSync(folder), []);
    disk.free();
    await backup();
    assert.ok(readdirSync(folder).includes('manifest.json'));
  });
});
