import assert from 'node:assert/strict';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import { ApplicationFailure } from '@temporalio/common';
import { simpleParser } from 'mailparser';
import { forgetInReports } from '../../core/reports/forget.ts';
import { reportFiles } from '../../core/reports/kept-report-files.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import type { Mail } from '../../mail/contracts.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';
import { READY } from '../support/mailings.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('a report in the background', () => {
  const relay = new ScriptedRelay(4);
  const mails: Mail[] = [];
  let api: TestApi;
  let place: TestNamespace;

  before(async () => {
    const DATA_DIR = dataFolder();
    api = await startApi({ DATA_DIR });
    await ensureReportRole(api.pool, api.env);
    place = await createNamespace();
    await runWorker(
      place,
      { DATABASE_URL: api.databaseUrl, DATA_DIR, BACKGROUND_REPORT_MAX_ROWS: '300000', BASE_URL: api.env.BASE_URL },
      { relay },
    );
    relay.answer = (mail) => {
      mails.push(mail);
      return { kind: 'accepted', reply: '250 ok' };
    };
    await api.create('queryreport', {
      name: 'Numbers',
      short_name: 'numbers',
      sql: `select g, 'x' || g as name from generate_series(1, {{ n }}::int) g`,
    });
  });
  after(() => api.close());

  /** What the API asked the workflow service for last, done. */
  async function run(): Promise<void> {
    const start = api.workflows.starts.at(-1)!;
    await place.client.workflow.execute(start.workflow, { workflowId: start.workflowId, taskQueue: start.taskQueue, args: [start.input] });
  }

  async function ask(parameters: object, report = 'numbers'): Promise<string> {
    const answer = await api.call('POST', `/rest/v1/report/background/${report}/`, parameters);
    assert.equal(answer.statusCode, 201, answer.body);
    assert.equal(answer.body, '');
    return String(answer.headers.location).replace(api.env.BASE_URL, '');
  }

  async function askAndRun(parameters: object, report?: string): Promise<string> {
    const uri = await ask(parameters, report);
    await run();
    return uri;
  }

  it('is asked for, polled and downloaded', async () => {
    const uri = await ask({ n: 100_000 });
    assert.match(uri, /^\/rest\/v1\/backgroundtask\/\d+\/$/);
    const pending = await api.read(uri);
    assert.deepEqual([pending.status, pending.finished, pending.success, pending.download], ['pending', false, false, null]);
    assert.ok(!('statement' in pending) && !('emails' in pending));
    const early = await api.call('GET', uri.replace('backgroundtask', 'report/download'));
    assert.equal(early.statusCode, 404);
    await run();
    const done = await api.read(uri);
    assert.deepEqual([done.status, done.finished, done.success, done.row_count, done.errors], ['completed', true, true, 100_000, []]);
    const file = await api.call('GET', done.download);
    assert.equal(file.statusCode, 200);
    assert.match(String(file.headers['content-type']), /^text\/csv/);
    assert.match(String(file.headers['content-disposition']), /attachment; filename="numbers-\d+\.csv"/);
    assert.equal(file.rawPayload.length, done.byte_count);
    const lines = file.body.split('\r\n');
    assert.deepEqual([lines[0], lines[1], lines[100_000], lines.length], ['g,name', '1,x1', '100000,x100000', 100_002]);
    assert.deepEqual(mails, []);
  });

  it('is an archive for who asks for one, and for nobody whose report asks for a zip', async () => {
    const { download } = await api.read(await askAndRun({ n: 3, zip: 'True' }));
    const { rawPayload: bytes, headers } = await api.call('GET', download);
    assert.deepEqual(
      [headers['content-type'], /numbers-\d+\.csv\.zip"/.test(String(headers['content-disposition']))],
      ['application/zip', true],
    );
    const begin = 30 + bytes.readUInt16LE(26);
    assert.equal(String(inflateRawSync(bytes.subarray(begin))), 'g,name\r\n1,x1\r\n2,x2\r\n3,x3\r\n');
    const directory = bytes.readUInt32LE(bytes.length - 6);
    assert.deepEqual(
      [bytes.readUInt32LE(directory), bytes.readUInt32LE(directory + 24)],
      [0x02014b50, 'g,name\r\n1,x1\r\n2,x2\r\n3,x3\r\n'.length],
    );
    await api.create('queryreport', { name: 'By zip', short_name: 'by_zip', sql: 'select {{ zip }} as zip' });
    const plain = await api.read(await askAndRun({ zip: '1' }, 'by_zip'));
    assert.equal((await api.call('GET', plain.download)).body, 'zip\r\n1\r\n');
  });

  it("is read as MySQL's where it is written so", async () => {
    const sql = 'SELECT "a" AS `letter`, 7 / 2 AS half, IFNULL(NULL, "none") AS word, IF({{ n }} > 2, "more", "less") AS amount';
    await api.create('queryreport', { name: 'Theirs', short_name: 'theirs', sql, dialect: 'mysql' });
    const done = await api.read(await askAndRun({ n: 3 }, 'theirs'));
    assert.deepEqual([done.status, done.errors], ['completed', []]);
    const file = await api.call('GET', done.download);
    assert.equal(file.body, 'letter,half,word,amount\r\na,3.5000,none,more\r\n');
  });

  it('of one account leaves a place to others, however many it asks for, and one to the builds of mailings', async () => {
    await api.create('queryreport', { name: 'Long', short_name: 'long', sql: 'select count(*) from generate_series(1, 100000000000) g' });
    const group = await api.create('authgroup', { name: 'readers of reports', grants: ['report:read'] });
    const other = async (username: string) => {
      await api.create('authuser', { username, password: `${username}-password`, groups: [group] });
      return { authorization: basic({ username, password: `${username}-password` }) };
    };
    const [ann, bob] = [await other('ann-reports'), await other('bob-reports')];
    const begin = async (report: string, headers = {}) => {
      const answer = await api.call('POST', `/rest/v1/report/background/${report}/`, { n: 1 }, headers);
      const { workflow, ...start } = api.workflows.starts.at(-1)!;
      const handle = await place.client.workflow.start(workflow, {
        workflowId: start.workflowId,
        taskQueue: 'campaign',
        args: [start.input],
      });
      return { handle, uri: String(answer.headers.location).replace(api.env.BASE_URL, '') };
    };
    const long: Awaited<ReturnType<typeof begin>>[] = [];
    for (let n = 0; n < 5; n++) long.push(await begin('long'));
    const running = async () => {
      const statuses = await Promise.all(long.map(async ({ uri }) => (await api.read(uri)).status));
      return statuses.filter((status) => status === 'running').length;
    };
    for (const end = Date.now() + 200_000; (await running()) === 0 && Date.now() < end; ) await sleep(50);
    await (await begin('numbers', ann)).handle.result();
    long.push(await begin('long', ann));
    for (const end = Date.now() + 200_000; (await running()) < 2 && Date.now() < end; ) await sleep(50);
    // All places of reports are taken, by two accounts: a mailing's users are built all the same.
    const mailing = await api.create('mailer', READY);
    await api.call('POST', `${mailing}rebuild/`);
    const build = api.workflows.starts.at(-1)!;
    const built = await place.client.workflow.execute(build.workflow, {
      workflowId: build.workflowId,
      taskQueue: 'campaign',
      args: [build.input],
    });
    assert.equal((built as { success: boolean }).success, true);
    const waiting = await begin('numbers', bob);
    assert.equal(await running(), 2);
    // Who gives a place back lets the next in.
    await Promise.all(long.slice(0, 5).map(({ handle }) => handle.cancel()));
    await waiting.handle.result();
    assert.equal((await api.read(waiting.uri)).status, 'completed');
    await long.at(-1)!.handle.cancel();
    await Promise.allSettled(long.map(({ handle }) => handle.result()));
    for (const { uri } of long) assert.equal((await api.call('DELETE', uri)).statusCode, 204);
  });

  it('is refused when the account has enough of them in line', async () => {
    await api.pool.query(
      `insert into core_backgroundtask (short_name, statement, format, emails, submitter_id)
        select 'y', '{}', 'csv', '[]', u.id from auth_user u, generate_series(1, 50) where username = 'admin'`,
    );
    const answer = await api.call('POST', '/rest/v1/report/background/numbers/', { n: 1 });
    assert.equal(answer.statusCode, 503);
    assert.match(answer.body, /50 reports in the background/);
    await api.pool.query(`delete from core_backgroundtask where short_name = 'y'`);
    await ask({ n: 1 });
  });

  it('is deleted with its file', async () => {
    const uri = await ask({ n: 1 });
    await run();
    const { download } = await api.read(uri);
    assert.equal((await api.call('GET', download)).statusCode, 200);
    assert.equal((await api.call('DELETE', uri)).statusCode, 204);
    assert.equal((await api.call('GET', download)).statusCode, 404);
    assert.ok(!readdirSync(join(api.env.DATA_DIR, 'reports')).includes(`report-${uri.split('/')[4]}.csv`));
  });

  it('brings JSON when that is asked for, by mail to whom it is to go', async () => {
    const uri = await ask({ n: '2', format: 'json', email_to: 'ann@example.org, bob@example.org' });
    await run();
    const done = await api.read(uri);
    assert.deepEqual((await api.call('GET', done.download)).json(), [
      [1, 'x1'],
      [2, 'x2'],
    ]);
    assert.deepEqual(mails.map(({ envelopeTo }) => envelopeTo).sort(), ['ann@example.org', 'bob@example.org']);
    for (const { message } of mails) {
      assert.ok(!message.split('\r\n').some((line) => line.startsWith('.')));
      const mail = await simpleParser(message);
      assert.equal(mail.subject, 'Report numbers');
      assert.match(String(mail.text), new RegExp(`2 rows[^]*${api.env.BASE_URL}${done.download}`));
      assert.deepEqual(JSON.parse(String(mail.attachments[0]?.content)), [
        [1, 'x1'],
        [2, 'x2'],
      ]);
    }
  });

  it('fails with the reason, and keeps no half of a file', async () => {
    for (const [n, reason] of [
      [300_001, /more than 300000 rows/],
      ['many', /invalid input syntax/],
    ] as const) {
      const uri = await ask({ n });
      await run();
      const failed = await api.read(uri);
      assert.deepEqual([failed.status, failed.finished, failed.success, failed.download], ['failed', true, false, null]);
      assert.match(failed.errors[0], reason);
      assert.equal((await api.call('GET', uri.replace('backgroundtask', 'report/download'))).statusCode, 404);
    }
  });

  it('says which mails the relay refused, and mails the others', async () => {
    mails.length = 0;
    relay.answer = (mail) => {
      if (mail.envelopeTo.startsWith('bad')) return { kind: 'failed', reply: '550 no' };
      mails.push(mail);
      return { kind: 'accepted', reply: '250 ok' };
    };
    const uri = await ask({ n: 1, email_to: ['bad@example.org', 'good@example.org'] });
    await run();
    const done = await api.read(uri);
    assert.equal(done.status, 'completed');
    assert.deepEqual(done.errors, ['Mail 1: failed: 550 no']);
    assert.deepEqual(
      mails.map(({ envelopeTo }) => envelopeTo),
      ['good@example.org'],
    );
  });

  it('says which mails could not be sent at all, and mails the others', async () => {
    mails.length = 0;
    const { send } = relay;
    relay.send = async (mail, ...more) => {
      // As two days in which the relay takes none: the activity is not tried any more.
      if (mail.envelopeTo.startsWith('late')) throw ApplicationFailure.nonRetryable('away');
      return send.call(relay, mail, ...more);
    };
    try {
      const uri = await askAndRun({ n: 1, email_to: ['late@example.org', 'good@example.org'] });
      const done = await api.read(uri);
      assert.deepEqual([done.status, done.errors], ['completed', ['Mail 1: it could not be sent, and is not tried any more.']]);
      assert.deepEqual(
        mails.map(({ envelopeTo }) => envelopeTo),
        ['good@example.org'],
      );
    } finally {
      relay.send = send;
    }
  });

  /** Everybody answers 451 from here on. @returns the run, once a mail was tried, and the task */
  async function askWhileTheRelayIsAway(emails: string[]) {
    let tried = 0;
    relay.answer = () => {
      tried++;
      return { kind: 'unsent', reply: '451 later', relay: 'busy' };
    };
    const uri = await ask({ n: 1, email_to: emails });
    const { workflow, workflowId, taskQueue, input } = api.workflows.starts.at(-1)!;
    const run = await place.client.workflow.start(workflow, { workflowId, taskQueue, args: [input] });
    const begun = async () =>
      (await api.pool.query('select mails_begun from core_backgroundtask where id = $1', [uri.split('/')[4]])).rows[0].mails_begun;
    while (!tried || (await begun())) await sleep(20);
    return { uri, run };
  }
  const takeMail = () => {
    mails.length = 0;
    relay.answer = (mail) => {
      mails.push(mail);
      return { kind: 'accepted', reply: '250 ok' };
    };
  };

  it('is mailed to those who have not had it though its run was terminated before, by the next sweep', async () => {
    const { uri, run: mailing } = await askWhileTheRelayIsAway(['one@example.org', 'two@example.org']);
    await mailing.terminate();
    const { rows } = await api.pool.query(
      `update core_backgroundtask set updated_at = now() - interval '1 minute', mails_begun = 1, mails_over = 1 where id = $1
       returning (select count(*)::int from core_backgroundtask) as tasks`,
      [uri.split('/')[4]],
    );
    assert.ok(rows[0].tasks > 1);
    takeMail();
    for (const workflowId of ['sweep', 'sweep-again']) {
      await place.client.workflow.execute('sweep', { workflowId, taskQueue: 'campaign', args: [{}] });
      await place.client.workflow.getHandle(mailing.workflowId).result();
      await api.pool.query(`update core_backgroundtask set updated_at = now() - interval '1 minute'`);
    }
    assert.deepEqual(
      mails.map(({ envelopeTo }) => envelopeTo),
      ['two@example.org'],
    );
    assert.deepEqual((await api.read(uri)).errors, []);
  });

  it('says whom it is not mailed to when that is cancelled', async () => {
    const { uri, run: mailing } = await askWhileTheRelayIsAway(['one@example.org', 'two@example.org']);
    await mailing.cancel();
    await assert.rejects(mailing.result(), /cancelled/i);
    const { status, errors } = await api.read(uri);
    assert.deepEqual([status, errors], ['completed', ['Mail 1: it was cancelled.', 'Mail 2: it was cancelled.']]);
    takeMail();
  });

  it('is not mailed twice to whom a worker was mailing it when it ended', async () => {
    const { uri, run: mailing } = await askWhileTheRelayIsAway(['one@example.org', 'two@example.org']);
    // As the worker that is killed after the relay has the mail leaves it.
    await api.pool.query('update core_backgroundtask set mails_begun = 1 where id = $1', [uri.split('/')[4]]);
    takeMail();
    await mailing.result();
    assert.deepEqual(
      mails.map(({ envelopeTo }) => envelopeTo),
      ['two@example.org'],
    );
    assert.deepEqual((await api.read(uri)).errors, ['Mail 1: uncertain: the worker ended while this mail was on its way to the relay']);
  });

  it('is cleared when its time is over, with what crashed attempts left behind', async () => {
    const folder = join(api.env.DATA_DIR, 'reports');
    const [old, young] = [await askAndRun({ n: 3 }), await askAndRun({ n: 4 })];
    const id = old.split('/')[4];
    await api.pool.query(`update core_backgroundtask set finished_at = now() - interval '31 days' where id = $1`, [id]);
    const longAgo = new Date(Date.now() - 31 * 24 * 3600 * 1000);
    writeFileSync(join(folder, 'report-77.csv.12.34.part'), 'half');
    for (const name of [`report-${id}.csv`, 'report-77.csv.12.34.part']) utimesSync(join(folder, name), longAgo, longAgo);
    await api.pool.query(
      `insert into push_key (key_digest, body_digest, made_id, created_at) values ('old', 'x', 1, now() - interval '31 days'), ('young', 'x', 1, now() - interval '29 days')`,
    );
    await api.pool.query(
      `insert into report_cache values ('old', 'json', '[]', 2, now() - interval '1 hour'), ('young', 'json', '[]', 2, now())`,
    );
    const cleared = await place.client.workflow.execute('clearOld', { workflowId: 'clear-old', taskQueue: 'campaign', args: [{}] });
    assert.deepEqual(cleared, {
      tasks: 1,
      uploadDrafts: 0,
      uploadBlocks: 0,
      files: 2,
      pushKeys: 1,
      donationAttempts: 0,
      results: 1,
      loginTokens: 0,
      failures: 0,
      rates: 0,
      auditLog: 0,
      batches: 0,
      opens: 0,
      clicks: 0,
      deliveries: 0,
    });
    assert.equal((await api.call('GET', old)).statusCode, 404);
    assert.equal((await api.call('GET', (await api.read(young)).download)).statusCode, 200);
    assert.deepEqual((await api.pool.query('select key_digest from push_key')).rows, [{ key_digest: 'young' }]);
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('report-77') || name === `report-${id}.csv`));
  });

  async function eraseByRun(user: string): Promise<void> {
    const { rows } = await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [user.split('/')[4]]);
    const jobId = rows[0].id;
    await place.client.workflow.execute('eraseUser', { workflowId: `user-erase-${jobId}`, taskQueue: 'campaign', args: [{ jobId }] });
  }

  it('goes when somebody in it is erased, or who asked for it by their address', async () => {
    const user = await api.create('user', { email: 'Forget.Me@example.org' });
    await api.create('queryreport', { name: 'Emails', short_name: 'emails', sql: 'select email from core_user where email <> {{ but }}' });
    const start = (body: object) => askAndRun(body, 'emails');
    const found = [await start({ but: '' }), await start({ but: 'forget.me@EXAMPLE.org' }), await start({ but: '', format: 'json' })];
    await api.pool.query(`update core_backgroundtask set emails = '["forget.me@example.org"]' where id = $1`, [found[1]!.split('/')[4]]);
    const other = await askAndRun({ n: 5 });
    await eraseByRun(user);
    for (const uri of found) assert.equal((await api.call('GET', uri)).statusCode, 404, uri);
    assert.equal((await api.call('GET', (await api.read(other)).download)).statusCode, 200);
    const folder = join(api.env.DATA_DIR, 'reports');
    for (const name of readdirSync(folder)) assert.ok(!readFileSync(join(folder, name), 'utf8').toLowerCase().includes('forget.me'), name);
  });

  it('is run anew where it was still to be mailed as somebody in it was erased, and mailed without them', async () => {
    const user = await api.create('user', { email: 'not.mailed@example.org' });
    await api.create('user', { email: 'stays@example.org' });
    await api.create('queryreport', { name: 'Waiting', short_name: 'waiting', sql: 'select email from core_user' });
    const took = relay.answer;
    let asked = 0;
    relay.answer = () => {
      asked++;
      return { kind: 'unsent', reply: '421 away', relay: 'down' };
    };
    const uri = await ask({ email_to: 'boss@example.org' }, 'waiting');
    const { workflow, workflowId, taskQueue, input } = api.workflows.starts.at(-1)!;
    const waiting = await place.client.workflow.start(workflow, { workflowId, taskQueue, args: [input] });
    while (asked === 0) await sleep(50);
    // A worker that is killed as it removes files leaves them to the next one.
    const dying = { ...reportFiles(api), remove: () => Promise.reject(new Error('killed')) };
    await assert.rejects(forgetInReports(api.pool, dying, ['not.mailed@example.org']), /killed/);
    await eraseByRun(user);
    relay.answer = took;
    mails.length = 0;
    await waiting.result();
    assert.deepEqual([mails.length, (await api.read(uri)).status], [0, 'pending']);
    // As the sweep does.
    await place.client.workflow.execute(workflow, { workflowId, taskQueue, args: [input] });
    assert.deepEqual([(await api.read(uri)).status, mails.map(({ envelopeTo }) => envelopeTo)], ['completed', ['boss@example.org']]);
    const [attachment] = (await simpleParser(mails[0]!.message)).attachments;
    assert.match(String(attachment!.content), /stays@example/);
    assert.doesNotMatch(String(attachment!.content), /not\.mailed/);
  });

  it('refuses what cannot be run before anything is written down', async () => {
    const count = (await api.read('/rest/v1/backgroundtask/')).meta.total_count;
    for (const [body, field] of [
      [{}, 'n'],
      [{ n: 1, email_to: 'nobody' }, 'email_to'],
      [{ n: 1, email_to: 'a@example.org\r\nBcc: b@example.org' }, 'email_to'],
      [{ n: 1, email_to: { a: 1 } }, 'email_to'],
      [{ n: 1, format: 'xml' }, 'format'],
    ] as const) {
      const answer = await api.call('POST', '/rest/v1/report/background/numbers/', body);
      assert.equal(answer.statusCode, 400, answer.body);
      assert.deepEqual(Object.keys(answer.json().errors), [field]);
    }
    assert.equal((await api.call('POST', '/rest/v1/report/background/nothing/', {})).statusCode, 404);
    assert.equal((await api.call('GET', '/rest/v1/report/download/9999/')).statusCode, 404);
    assert.equal((await api.call('GET', '/rest/v1/report/download/..%2f..%2fetc/')).statusCode, 404);
    assert.equal((await api.read('/rest/v1/backgroundtask/')).meta.total_count, count);
  });
});

describe('a report in the background for which the database has no connection', () => {
  it('says why it is tried again, and nothing of it once it has run', async () => {
    const api = await startApi({ DATA_DIR: dataFolder() });
    await ensureReportRole(api.pool, api.env);
    const place = await createNamespace();
    const settings = { DATABASE_URL: api.databaseUrl, DATA_DIR: api.env.DATA_DIR, SMTP_URL: 'smtp://127.0.0.1:1' };
    const worker = await runWorker(place, { ...settings, REPORT_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' });
    await api.create('queryreport', { name: 'One', short_name: 'one', sql: 'select 1' });
    const asked = await api.call('POST', '/rest/v1/report/background/one/');
    const uri = String(asked.headers.location).slice(api.env.BASE_URL.length);
    const start = api.workflows.starts.at(-1)!;
    const run = await place.client.workflow.start(start.workflow, {
      workflowId: start.workflowId,
      taskQueue: start.taskQueue,
      args: [start.input],
    });
    let task = await api.read(uri);
    for (; task.errors.length === 0; await sleep(50)) task = await api.read(uri);
    assert.deepEqual([task.status, task.errors], ['running', ['It is tried again: The database has no connection for a report.']]);

    await worker.stop();
    await runWorker(place, settings);
    await run.result();
    task = await api.read(uri);
    assert.deepEqual([task.status, task.errors, task.row_count], ['completed', [], 1]);
    await api.close();
  });
});
