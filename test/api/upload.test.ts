import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { setTimeout as later } from 'node:timers/promises';
import fc from 'fast-check';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { Registry } from '../../api/resource/registry.ts';
import { importBlock } from '../../core/people/import-block.ts';
import { importUpload } from '../../core/people/import-upload.ts';
import { BLOCK_LINES, IMPORT_LANES } from '../../core/people/stage-upload.ts';
import { takeInUpload } from '../../core/people/take-in-upload.ts';
import { tryUpload } from '../../core/people/try-upload.ts';
import { createPool } from '../../db/pool.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { commitLimits } from '../../db/uncertain-commit.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { ScriptedRelay } from '../support/sending.ts';
import { untilWaiting } from '../support/sessions.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const idOf = (uri: string) => Number(uri.match(/(\d+)\/$/)![1]);

describe('uploads of people', () => {
  let api: TestApi;
  let page: string;
  let list: string;

  before(async () => {
    api = await startApi();
    list = await api.create('list', { name: 'Imported' });
    page = await api.create('importpage', { name: 'import', list });
  });
  after(() => api.close());

  function send(csv: string | Buffer, fields: Record<string, string> = { page }, headers: Record<string, string> = {}) {
    const parts = Object.entries(fields).map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = `--b\r\nContent-Disposition: form-data; name="upload"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(parts.join('') + file), Buffer.from(csv), Buffer.from('\r\n--b--\r\n')]);
    return api.call('POST', '/rest/v1/upload/', body, { 'content-type': 'multipart/form-data; boundary=b', ...headers });
  }
  const take = async (csv: string, fields?: Record<string, string>) => {
    const answer = await send(csv, fields);
    assert.equal(answer.statusCode, 201, answer.body);
    return String(answer.headers.location).slice(api.env.BASE_URL.length);
  };
  const importAll = async (uri: string) => {
    assert.equal(await importUpload(api, idOf(uri), () => true), false);
  };
  const userOf = async (email: string) => (await api.read(`/rest/v1/user/?email=${encodeURIComponent(email)}`)).objects[0];

  it('that declare the same fields in other orders do not wait for each other in a circle', async () => {
    const other = await api.pool.connect();
    await other.query('begin');
    const declare = `insert into core_alloweduserfield (name) values ($1) on conflict do nothing`;
    await other.query(declare, ['circle_a']);
    const sent = send('email,user_circle_b,user_circle_a\ncircle@example.org,1,2\n', { page, autocreate_user_fields: 'true' });
    await untilWaiting(api.pool);
    const outcome = await other.query(declare, ['circle_b']).then(
      () => 'declared',
      (error: Error) => error.message,
    );
    await other.query('commit');
    other.release();
    const { statusCode, headers } = await sent;
    assert.deepEqual([outcome, statusCode], ['declared', 201]);
    await importAll(String(headers.location));
  });

  it('are refused with 400 when they are no CSV, whatever is in them', async () => {
    const answer = await send('email\nann@example.org\nx"y,"z\n');
    assert.deepEqual(
      [answer.statusCode, answer.json()],
      [400, { upload: { upload: ['The file is no CSV: invalid opening quote in line 3'] } }],
    );
    const bytes = fc.array(fc.oneof(fc.constantFrom(0, 10, 13, 34, 44, 0xff, 0xd8), fc.integer({ min: 32, max: 126 })), { maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.boolean(), async (some, headed) => {
        const file = Buffer.concat([Buffer.from(headed ? 'email\n' : ''), Buffer.from(some)]);
        // Without a page, nothing is taken in whatever the file holds.
        assert.equal((await send(file, {})).statusCode, 400);
      }),
      { numRuns: 150, seed: 5 },
    );
  });

  it('become people, actions and subscriptions, and say what was wrong line by line', async () => {
    await api.create('user', { email: 'known@example.org', first_name: 'Old', last_name: 'Kept', source: 'booth' });
    const csv = `\uFEFFEmail,First_Name,Last_Name,zip,user_Shirt,action_why,source
ann@example.org,Ann,"O'Neil, ""A""",10001-1234,L,"two
lines \\ and\ttab",web
KNOWN@example.org,New,,,,,web
not-an-address,X,,,,,
,Y,,,,,
short,line
ann@example.org,Anna,,,M,again,
,,,,,,
 ,,,,,,
`;
    const uri = await take(csv, { page, autocreate_user_fields: 'true' });
    const fresh = await api.read(uri);
    assert.deepEqual(
      [fresh.page, fresh.filename, fresh.status, fresh.is_completed, fresh.has_errors, fresh.line_count, fresh.progress],
      [page.replace('importpage', 'page'), 'people.csv', 'new', false, 0, 6, 0],
    );
    assert.deepEqual(api.workflows.starts.at(-1)?.workflowId, `upload-${idOf(uri)}-import`);
    await importAll(uri);
    const done = await api.read(uri);
    assert.deepEqual([done.status, done.is_completed, done.has_errors, done.progress, done.error_count], ['completed', true, 3, 6, 3]);
    const { objects } = await api.read(done.errors);
    assert.deepEqual(
      objects.map(({ line, message }: { line: number; message: string }) => `${line} ${message}`),
      ['4 email is not an email address.', '5 email is missing.', '6 The line has 2 cells where the header has 7.'],
    );
    const ann = await userOf('ann@example.org');
    assert.deepEqual(
      [ann.first_name, ann.last_name, ann.zip, ann.plus4, ann.city, ann.state, ann.fields, ann.source, ann.subscription_status],
      ['Anna', `O'Neil, "A"`, '10001', '1234', 'New York', 'NY', { Shirt: 'M' }, 'web', 'subscribed'],
    );
    assert.equal((await api.read(ann.location)).timezone, 'America/New_York');
    assert.equal(ann.original.zip, '10001-1234');
    const actions = (await api.read(ann.actions)).objects;
    assert.deepEqual(
      actions.map((each: { fields: object; created_user: boolean; source: string; type: string }) => [
        each.fields,
        each.created_user,
        each.source,
        each.type,
      ]),
      [
        [{ why: 'two\nlines \\ and\ttab' }, true, 'web', 'Import'],
        [{ why: 'again' }, false, 'import', 'Import'],
      ],
    );
    const history = (await api.read(ann.subscriptionhistory)).objects;
    assert.deepEqual(
      history.map(({ change }: { change: string }) => change),
      ['subscribe_import'],
    );
    const known = await userOf('known@example.org');
    assert.deepEqual([known.first_name, known.last_name, known.source], ['New', 'Kept', 'booth']);
    assert.equal((await api.pool.query('select 1 from core_uploadblock')).rowCount, 0);
  });

  it('name a line by its place in the file, as somebody who opens it finds it: empty ones are passed over, and count', async () => {
    const file = '\nemail,first_name\n\r\nempties@example.org,Em\n\nnot-an-address,X\n\n';
    const uri = await take(file);
    await importAll(uri);
    const done = await api.read(uri);
    assert.deepEqual([done.status, done.line_count, done.progress, done.error_count], ['completed', 2, 2, 1]);
    const { objects } = await api.read(done.errors);
    assert.deepEqual(
      objects.map(({ line }: { line: number }) => line),
      [6],
    );
    const tried: [number, string][] = [];
    for await (const { line, outcome } of tryUpload(sqlOn(api.pool), Readable.from([Buffer.from(file)]), ['email', 'first_name'], true))
      tried.push([line, outcome]);
    assert.deepEqual(tried, [
      [4, 'same'],
      [6, 'wrong'],
    ]);
  });

  it('name fields without the blanks around them, so that whoever sends a person or an action back as they were read may', async () => {
    const uri = await take('email,USER_ Colour,action_\tWhy \nblanks@example.org,red,because\n', { page, autocreate_user_fields: '1' });
    await importAll(uri);
    const user = await userOf('blanks@example.org');
    const [action] = (await api.read(user.actions)).objects;
    assert.deepEqual([user.fields, action.fields], [{ Colour: 'red' }, { Why: 'because' }]);
    for (const read of [user, action]) assert.equal((await api.call('PATCH', read.resource_uri, read)).statusCode, 202);
    assert.equal((await send('email,user_ a,user_a\n', { page, autocreate_user_fields: '1' })).statusCode, 400);
  });

  it('are refused whole when page, header or file cannot be used, and leave nothing', async () => {
    const before = (await api.read('/rest/v1/upload/')).meta.total_count;
    const signup = await api.create('signuppage', { name: 'no-import' });
    const good = 'email\na@example.org\n';
    const wrong: [string, string | Buffer, Record<string, string>][] = [
      ['page', good, {}],
      ['page', good, { page: 'nowhere' }],
      ['page', good, { page: signup }],
      ['page', good, { page: 'no-import' }],
      ['autocreate_user_fields', good, { page, autocreate_user_fields: 'maybe' }],
      ['upload', '', { page }],
      ['upload', 'first_name\nAnn\n', { page }],
      ['upload', 'email,shoe\na,b\n', { page }],
      ['upload', 'email,email\na,b\n', { page }],
      ['upload', 'email,user_undeclared\na@example.org,b\n', { page }],
      ['upload', 'email\n"a@example.org\n', { page }],
      ['upload', 'email,first_name\na@example.org,A\0B\n', { page }],
    ];
    for (const [field, csv, fields] of wrong) {
      const answer = await send(csv, fields);
      assert.equal(answer.statusCode, 400, `${field} ${csv} ${answer.body}`);
      assert.deepEqual(Object.keys(answer.json().upload ?? {}), [field], answer.body);
    }
    assert.equal((await api.call('POST', '/rest/v1/upload/', { page })).statusCode, 400);
    assert.equal((await send(good, { page }, { authorization: '' })).statusCode, 401);
    assert.equal((await api.read('/rest/v1/upload/')).meta.total_count, before);
    assert.equal((await api.pool.query('select 1 from core_uploadblock')).rowCount, 0);
  });

  it('wait for what somebody else holds no longer than any request', async () => {
    const pool = createPool(api.databaseUrl, 1, commitLimits({ COMMIT_SECONDS: 1 }));
    const content = () => Readable.from('email\nheld@example.org\n');
    const sent = { page: 'import', autocreateUserFields: 'false', filename: 'people.csv', content };
    const context = { registry: new Registry([], api.orm), env: api.env };
    try {
      await inOneTransaction(api.pool, async (sql) => {
        await sql('lock table core_page in access exclusive mode');
        await assert.rejects(takeInUpload(pool, context, sent), { code: '55P03' });
      });
    } finally {
      await pool.end();
    }
  });

  it('are refused when the form itself is cut off or makes no sense', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="upload"; filename="p.csv"\r\n\r\nemail\n';
    for (const [type, body] of [
      ['', 'x'],
      ['; boundary=', 'x'],
      ['; boundary=b', '--b\r\n\r\n'],
      ['; boundary=b', part],
      ['; boundary=b', `${part}a@example.org\r\n--`],
      [`; boundary=${'b'.repeat(300)}`, part],
    ]) {
      const answer = await api.call('POST', '/rest/v1/upload/', body, { 'content-type': `multipart/form-data${type}` });
      assert.equal(answer.statusCode, 400, `${type} ${body}: ${answer.body}`);
      assert.deepEqual(Object.keys(answer.json().upload), ['upload']);
    }
    assert.equal((await api.pool.query('select from core_upload where filename = $1', ['p.csv'])).rowCount, 0);
  });

  it('number the people of a short file in its order', async () => {
    const emails = Array.from({ length: 60 }, (_, n) => `ordered${(n * 37) % 60}@example.org`);
    await importAll(await take(`email\n${emails.join('\n')}\n`));
    const { rows } = await api.pool.query(`select email from core_user where email like 'ordered%' order by id`);
    assert.deepEqual(
      rows.map(({ email }) => email),
      emails,
    );
  });

  it('import no line twice and none never, whatever dies when', async () => {
    // More than one block, so that each lane has lines.
    const count = BLOCK_LINES + 100;
    const lines = Array.from({ length: count }, (_, n) => `dying${n}@example.org,N${n},94110,why`);
    const uri = await take(`email,first_name,zip,action_why\n${lines.join('\n')}\n`);
    let died = 0;
    for (let lane = 0; lane < IMPORT_LANES; lane++) {
      for (let last = 1; ; last++) {
        let statements = 0;
        const outcome = await inOneTransaction(api.pool, async (sql) => {
          const [{ pid } = { pid: 0 }] = await sql<{ pid: number }>('select pg_backend_pid() as pid');
          const dying: Sql = async (text, values) => {
            if (++statements === last) await api.pool.query('select pg_terminate_backend($1)', [pid]);
            return sql(text, values);
          };
          await importBlock(dying, idOf(uri), lane, api.env.SECRET_KEY);
        }).then(
          () => 'done',
          () => 'died',
        );
        if (outcome === 'done') break;
        died++;
      }
    }
    assert.ok(died > 8 * IMPORT_LANES, `${died} places to die at`);
    await importAll(uri);
    const { rows } = await api.pool.query(
      `select count(*)::int as actions, count(distinct user_id)::int as users from core_action a join core_user u on u.id = a.user_id where u.email like 'dying%'`,
    );
    assert.deepEqual(rows, [{ actions: count, users: count }]);
    assert.equal((await api.read(uri)).progress, count);
  });

  it('of the same people at once, each in an order of its own, are imported beside each other', async () => {
    const lines = Array.from({ length: 3 * BLOCK_LINES }, (_, n) => `both${n}@example.org,N${n}`);
    const uris = [
      await take(`email,first_name\n${lines.join('\n')}\n`),
      await take(`email,first_name\n${lines.toReversed().join('\n')}\n`),
    ];
    await Promise.all(uris.map(importAll));
    const { rows } = await api.pool.query(
      `select count(*)::int as actions, count(distinct user_id)::int as users, count(*) filter (where created_user)::int as made
       from core_action a join core_user u on u.id = a.user_id where u.email like 'both%'`,
    );
    assert.deepEqual(rows, [{ actions: 2 * lines.length, users: lines.length, made: lines.length }]);
  });

  it('end with the reason when no further try can import them, and are not begun anew', async () => {
    const place = await createNamespace();
    const uri = await take('email,first_name\nfine@example.org,A\n');
    // What no version of the front door lets in: a text that PostgreSQL cannot store.
    await api.pool.query(`update core_uploadblock set lines = '[[2,"fine@example.org","A\\u0000"]]' where upload_id = $1`, [idOf(uri)]);
    const worker = await runWorker(
      place,
      { DATABASE_URL: api.databaseUrl, SMTP_URL: 'smtp://127.0.0.1:1' },
      { relay: new ScriptedRelay(1) },
    );
    const run = { taskQueue: 'campaign', workflowId: 'unimportable', args: [{ jobId: idOf(uri) }] };
    await place.client.workflow.execute('importUpload', run);
    const ended = await api.read(uri);
    assert.deepEqual([ended.status, ended.is_completed, ended.has_errors, ended.progress], ['died', true, 1, 0]);
    const { objects } = await api.read(ended.errors);
    assert.deepEqual(
      objects.map(({ line, message }: { line: number; message: string }) => [line, message]),
      [[2, 'The import ended at this line or one of those after it: the database cannot store or read a value (22021).']],
    );
    assert.equal(await userOf('fine@example.org'), undefined);
    const { rows } = await api.pool.query(`select from core_upload where id = $1 and status in ('new', 'importing')`, [idOf(uri)]);
    assert.equal(rows.length, 0);
    await worker.stop();
  });

  it('stop when told to, and go on by a workflow until they are done', async () => {
    const place = await createNamespace();
    const real = temporalWorkflows(place.client);
    const recorded = api.workflows.start;
    const stopped = await take('email\nnever@example.org\n');
    assert.equal((await api.call('POST', `${stopped}stop/`)).statusCode, 202);
    api.workflows.start = (start) => real.start(start);
    const uri = await take('email\nrun1@example.org\nrun2@example.org\n', { page: 'import' });
    await runWorker(place, { DATABASE_URL: api.databaseUrl, SMTP_URL: 'smtp://127.0.0.1:1' }, { relay: new ScriptedRelay(1) });
    for (let tries = 0; tries < 4000 && !(await api.read(uri)).is_completed; tries++) await later(50);
    assert.deepEqual([(await api.read(uri)).status, (await userOf('run2@example.org')).subscription_status], ['completed', 'subscribed']);
    await place.client.workflow.execute('importUpload', { taskQueue: 'campaign', workflowId: 'x', args: [{ jobId: idOf(stopped) }] });
    assert.equal((await api.read(stopped)).status, 'stopped');
    assert.equal(await userOf('never@example.org'), undefined);
    assert.equal((await api.call('POST', `${stopped}stop/`)).statusCode, 400);
    assert.equal((await api.call('POST', '/rest/v1/upload/999999/stop/')).statusCode, 404);
    api.workflows.start = recorded;
  });
});
