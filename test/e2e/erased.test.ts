import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import nodemailer from 'nodemailer';
import pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import { freePort } from '../../embedded/ports.ts';
import { ApiClient } from '../../tools/demo/client.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { dsn } from '../support/mail-reports.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

const EMAIL = 'zerubbabel@example.org';
const TWIN = 'zerubbabel.twin@example.org';
const NAME = 'Zerubbabel';

describe('somebody who did all there is to do, and is erased', () => {
  const dataDir = dataFolder();
  let platform: Platform;
  let place: TestNamespace;
  let pool: pg.Pool;
  let client: ApiClient;
  after(async () => {
    await platform?.stop();
    await pool?.end();
  });

  const path = (location: string) => location.slice(platform.baseUrl.length);
  const create = async (resource: string, body: object) => path(await client.write('POST', `/rest/v1/${resource}/`, body));
  async function until<Body>(uri: string, over: (body: Body) => boolean): Promise<Body> {
    for (const end = Date.now() + 200_000; ; await sleep(100)) {
      const body = await client.read<Body>(uri);
      if (over(body)) return body;
      assert.ok(Date.now() < end, `${uri} ${JSON.stringify(body)}`);
    }
  }
  const post = (route: string, body: object, headers = {}) =>
    fetch(new URL(route, platform.baseUrl), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });

  it('is found nowhere: not in the database, the files, the logs of API and workers, nor the histories of workflows', async () => {
    place = await createNamespace();
    const database = await createDatabase();
    pool = new pg.Pool({ connectionString: database, max: 2 });
    const bouncePort = await freePort();
    const env = readEnv({
      PORT: '0',
      DATA_DIR: dataDir,
      WORKER_PROCESSES: '1',
      DATABASE_URL: database,
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      BOUNCE_PORT: String(bouncePort),
      REPORT_CACHE_AFTER_MS: '0',
    });
    platform = await startPlatform(env);
    client = new ApiClient(platform.baseUrl, env.ADMIN_USERNAME, env.ADMIN_PASSWORD);
    const authorization = `Basic ${Buffer.from(`${env.ADMIN_USERNAME}:${env.ADMIN_PASSWORD}`).toString('base64')}`;

    // They sign up, are confirmed, call somebody, are told of, give, come to an event.
    const list = await create('list', { name: 'News' });
    const followup = { send_email: true, email_subject: 'Hello {{ user.first_name }}', email_body: '<p>{{ user.email }}</p>' };
    await create('signuppage', {
      name: 'join',
      list,
      followup: { ...followup, send_notifications: true, notifications: ['staff@example.org'] },
    });
    const user = { first_name: NAME, last_name: NAME, address1: `${NAME} Street`, zip: '10001' };
    assert.equal((await post('/rest/v1/action/', { page: 'join', email: EMAIL, ...user, user_nick: NAME, action_why: EMAIL })).status, 201);
    const { objects } = await client.read<{ objects: { resource_uri: string; token: string }[] }>(`/rest/v1/user/?email=${EMAIL}`);
    const uri = objects[0]!.resource_uri;
    assert.equal((await post('/rest/v1/action/', { page: 'join', email: EMAIL, zip: ['x'] })).status, 400);
    await client.write('PATCH', uri, { phones: [{ phone: '555 0199', source: NAME }] });
    await client.write('POST', `${uri}logintoken/`);
    const campaign = await create('campaign', { name: 'tour' });
    const event = await create('event', { campaign, creator: uri, fields: { host: NAME } });
    await create('eventsignup', { user: uri, event, fields: { diet: EMAIL } });
    const donation = {
      donationpage: { name: 'give' },
      order: { amount: '10.00', card_num: '4111111111111111', card_code: '007', exp_date_month: '12', exp_date_year: '2030' },
    };
    assert.equal((await post('/rest/v1/donationpush/', { ...donation, user: { email: EMAIL, ...user } }, { authorization })).status, 200);
    const refused = { ...donation, order: { ...donation.order, amount: EMAIL }, user: { email: EMAIL, ...user } };
    assert.equal((await post('/rest/v1/donationpush/', refused, { authorization })).status, 400);

    // They are mailed, once with the relay's objection; a mail comes back; somebody merges their twin into them.
    async function mail(subject: string): Promise<void> {
      const mailing = await create('mailer', {
        subjects: [subject],
        html: '<p>{{ user.email }}</p>',
        fromline: 'a@example.org',
        includes: { lists: ['News'] },
      });
      await until<{ finished: boolean }>(path(await client.write('POST', `${mailing}rebuild/`)), ({ finished }) => finished);
      await client.write('POST', `${mailing}queue/`);
      await until<{ status: string }>(`${mailing}status/`, ({ status }) => status === 'completed');
    }
    await mail('For you');
    platform.sink!.setRules([{ at: 'rcpt', match: EMAIL, reply: `550 5.1.1 <${EMAIL}> is not here` }]);
    await mail('Again');
    // A confirmation, and a proof for them, with the same objection.
    const refusedMails = async () =>
      (await pool.query(`select from core_transactionalmailing where status = 'failed' and detail like '%is not here%'`)).rowCount;
    assert.equal((await post('/rest/v1/action/', { page: 'join', email: EMAIL })).status, 201);
    for (const end = Date.now() + 200_000; !(await refusedMails()); await sleep(50))
      assert.ok(Date.now() < end, 'no confirmation was refused');
    const draft = await create('mailer', {
      subjects: ['Look'],
      html: '<p>{{ user.email }}</p>',
      fromline: 'a@example.org',
      includes: { lists: ['News'] },
    });
    await until<{ finished: boolean }>(path(await client.write('POST', `${draft}rebuild/`)), ({ finished }) => finished);
    const proofs = path(await client.write('POST', `${draft}proofs/`, { reviewers: [EMAIL], proofs: 1 }));
    const proof = await until<{ finished: boolean; errors: string[] }>(proofs, ({ finished }) => finished);
    assert.ok(/550 5\.1\.1 <…>/.test(String(proof.errors)), String(proof.errors));
    platform.sink!.setRules([]);
    const bounceAddress = platform.sink!.inbox.list(EMAIL).find(({ from }) => /^bounce\+[1-9]/.test(from))!.from;
    await nodemailer.createTransport({ host: '127.0.0.1', port: bouncePort, ignoreTLS: true }).sendMail({
      envelope: { from: '', to: bounceAddress },
      raw: dsn(bounceAddress, { status: '4.2.2', diagnostic: `smtp; 452 <${EMAIL}> full` }),
    });
    const twin = await create('user', { email: TWIN, ...user });
    const merge = await create('usermerge', { primary_user: uri, users: [twin], address_user: uri, source_user: uri });
    await until<{ status: string }>(merge, ({ status }) => status === 'complete');

    // Staff ask about them, import them, upload files that name them.
    const query = new URLSearchParams({ query: 'select email from core_user where email = {{ who }}', who: EMAIL });
    for (let n = 0; n < 2; n++) await client.read(`/rest/v1/report/run/sql/?${query}`);
    await create('queryreport', { name: 'Who', short_name: 'who', sql: 'select email from core_user where email = {{ who }}' });
    const task = path(await client.write('POST', '/rest/v1/report/background/who/', { who: EMAIL, email_to: 'staff@example.org' }));
    await until<{ finished: boolean }>(task, ({ finished }) => finished);
    const page = await create('importpage', { name: 'import' });
    const form = new FormData();
    form.set('page', page);
    form.set('upload', new Blob([`email,first_name,user_nick\n${EMAIL},${NAME},${NAME}\n${EMAIL},${NAME}\n`]), 'people.csv');
    const upload = await fetch(`${platform.baseUrl}/rest/v1/upload/`, { method: 'POST', body: form, headers: { authorization } });
    assert.equal(upload.status, 201, await upload.text());
    await until<{ is_completed: boolean }>(path(upload.headers.get('location')!), ({ is_completed }) => is_completed);
    assert.deepEqual((await traces(pool)).includes('core_orderuserdetail'), true);

    const options = { order_user_details: true, user_fields: true, action_fields: true, transactional_mailings: true };
    const erased = await fetch(`${platform.baseUrl}/rest/v1/eraser/`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ email: EMAIL, ...options }),
    });
    assert.deepEqual([erased.status, erased.headers.get('location')], [303, platform.baseUrl + uri]);

    assert.deepEqual(await traces(pool), []);
    const files = globSync('**/*', { cwd: dataDir })
      .map((name) => join(dataDir, name))
      .filter((name) => statSync(name).isFile());
    assert.ok(files.some((name) => name.endsWith('api.log')) && files.some((name) => name.endsWith('worker-1.log')));
    for (const file of files) assert.ok(!/zerubbabel/i.test(readFileSync(file, 'latin1')), file);
    let runs = 0;
    for await (const run of place.client.workflow.list()) {
      const history = await place.client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
      const text = JSON.stringify([run, history], (_key, value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString() : typeof value === 'bigint' ? String(value) : value,
      );
      assert.ok(!/zerubbabel/i.test(text), run.workflowId);
      runs++;
    }
    assert.ok(runs >= 8, `${runs} runs`);
  });
});

/** Tables in which the person is found, whatever the column. */
async function traces(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ tablename: string }>(`select tablename from pg_tables where schemaname = 'public' order by 1`);
  const found: string[] = [];
  for (const { tablename } of rows) {
    const { rowCount } = await pool.query(`select 1 from "${tablename}" x where x::text ilike '%zerubbabel%' limit 1`);
    if (rowCount) found.push(tablename);
  }
  return found;
}
