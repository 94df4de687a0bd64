import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiError, CampaignClient, NoAnswerError, UncertainError } from '../../clients/typescript/src/index.ts';
import { readEnv } from '../../config/env.ts';
import { type Platform, startPlatform } from '../../embedded/platform.ts';
import type { ApiDocument } from '../../tools/clients/document.ts';
import { pythonOf, typescriptOf } from '../../tools/clients/typescript.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { donation } from '../support/donations.ts';
import { type LosingProxy, losingProxy } from '../support/losing-proxy.ts';
import { createNamespace } from '../support/temporal.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** What `work` is refused with. */
async function refused(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

/** The clients of clients/, against the processes npm start runs, over a line that loses answers. */
describe('the clients', () => {
  let platform: Platform;
  let line: LosingProxy;
  let variables: { API_URL: string; API_USERNAME: string; API_PASSWORD: string };
  let client: CampaignClient;

  before(async () => {
    const { address, namespace } = await createNamespace();
    const services = { DATABASE_URL: await createDatabase(), TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    const env = readEnv({ PORT: '0', DATA_DIR: dataFolder(), WORKER_PROCESSES: '1', ...services });
    platform = await startPlatform(env);
    line = await losingProxy(platform.baseUrl);
    variables = { API_URL: line.url, API_USERNAME: env.ADMIN_USERNAME, API_PASSWORD: env.ADMIN_PASSWORD };
    client = CampaignClient.fromEnvironment(variables, { firstPauseMs: 20 });
  });
  after(async () => {
    await line?.close();
    await platform?.stop();
  });

  it('are made of the OpenAPI document as it is', async () => {
    const document = (await (await fetch(`${platform.baseUrl}/rest/v1/openapi.json`)).json()) as ApiDocument;
    const kept = readFileSync(join(root, 'clients/typescript/src/schemas.ts'), 'utf8');
    assert.ok(kept === typescriptOf(document), 'npm run clients');
    const python = readFileSync(join(root, 'clients/python/campaign_client/keyed.py'), 'utf8');
    assert.ok(python === pythonOf(document), 'npm run clients');
  });

  it('TypeScript: goes through users page by page', async () => {
    const emails = Array.from({ length: 25 }, (_, n) => `paged${n}@example.org`);
    await Promise.all(emails.map((email) => client.create('user', { email })));
    const before = line.seen.length;
    const found: string[] = [];
    for await (const { email } of client.list('user', { email__startswith: 'paged', _limit: 10, order_by: 'id' })) found.push(email);
    assert.deepEqual(found.sort(), emails.sort());
    assert.equal(line.seen.length - before, 3);
    const page = await client.page('user', { email__in: emails.slice(0, 2) });
    assert.equal(page.meta.total_count, 2);
  });

  it('TypeScript: leaves nobody out while those before are deleted or no longer match', async () => {
    for (const order_by of ['id', '-id', undefined]) {
      await Promise.all(
        Array.from({ length: 7 }, (_, n) => client.create('user', { email: `leaving${n}@example.org`, source: 'leaving' })),
      );
      const left: string[] = [];
      for await (const { id, email } of client.list('user', { source: 'leaving', id__gt: 0, _limit: 2, order_by })) {
        left.push(email);
        await (left.length % 2 ? client.delete('user', id) : client.update('user', id, { source: 'left', email: `${order_by}${email}` }));
      }
      assert.equal(new Set(left).size, 7, `${order_by} ${left}`);
    }
    const { email } = (await client.page('user', { source: 'left' })).objects[0]!;
    const mails: unknown[] = [];
    for await (const mail of client.list('sentmail', { user: (await client.page('user', { email })).objects[0]!.id })) mails.push(mail);
    assert.deepEqual(mails, []);
  });

  it('TypeScript: makes, reads, changes and deletes', async () => {
    const { uri, id } = await client.create('list', { name: 'Ours' });
    assert.equal(uri, `/rest/v1/list/${id}/`);
    await client.update('list', id, { notes: 'changed' });
    const { name, notes, resource_uri } = await client.get('list', id);
    assert.deepEqual({ name, notes, resource_uri }, { name: 'Ours', notes: 'changed', resource_uri: uri });
    // The answer to the first DELETE is lost; the second finds nothing, which is what was wanted.
    await client.delete('list', id);
    const gone = await refused(client.get('list', id));
    assert.deepEqual([gone.status, gone.errors], [404, {}]);
  });

  it('TypeScript: throws what is refused, by field', async () => {
    const { uri } = await client.create('user', { email: 'taken@example.org' });
    const taken = await refused(client.create('user', { email: 'taken@example.org' }));
    assert.equal(taken.status, 409);
    assert.ok(taken.location?.endsWith(uri), String(taken.location));
    // @ts-expect-error what is required is known to the compiler, too
    const missing = await refused(client.create('user', { first_name: 'Ada' }));
    assert.equal(missing.status, 400);
    assert.deepEqual(Object.keys(missing.errors), ['email']);
    const stranger = new CampaignClient({ url: line.url, username: 'admin', password: 'wrong' });
    assert.equal((await refused(stranger.get('user', 1))).status, 401);
  });

  it('TypeScript: promises what a poll ends with', async () => {
    const { id: list } = await client.create('list', { name: 'Polled' });
    await client.create('signuppage', { name: 'join', list: `/rest/v1/list/${list}/` });
    await client.create('action', { page: 'join', email: 'ada@example.org' });
    const mailing = { subjects: ['Hello'], html: '<p>Hello</p>', fromline: 'News <news@example.org>', includes: { lists: ['Polled'] } };
    const { id } = await client.create('mailer', mailing);
    const documents: boolean[] = [];
    const built = await client.poll(await client.start(`mailer/${id}/rebuild/`), { seen: ({ finished }) => documents.push(finished) });
    assert.deepEqual([built.finished, built.success, built['results']], [true, true, 1]);
    assert.equal(documents.at(-1), true);
    await assert.rejects(client.poll(`list/${list}/`), TypeError);
    // Queued for a day that is far off.
    await client.update('mailer', id, { scheduled_for: '2099-01-01T00:00:00' });
    const ended = new AbortController();
    const waiting = client.poll(await client.start(`mailer/${id}/queue/`), { signal: ended.signal, seen: () => ended.abort() });
    await assert.rejects(waiting, { name: 'AbortError' });
  });

  it('TypeScript: sends files, and waits until they are read', async () => {
    await client.create('importpage', { name: 'import' });
    const people = new File(['email,first_name\nfile1@example.org,Ada\nfile2@example.org,Grace\n'], 'a "list".csv');
    const done = await client.poll((await client.upload('upload', people, { page: 'import' })).uri);
    assert.equal(done['status'], 'completed', JSON.stringify(done));
    assert.equal((await client.page('user', { email__startswith: 'file' })).meta.total_count, 2);
    const { id } = await client.upload('mergefile', new File(['email,seat\nfile1@example.org,7\n'], 'seats.csv'), { name: 'Seats' });
    assert.equal((await client.get('mergefile', id)).name, 'Seats');
    const wrong = await refused(client.upload('upload', people, { page: 'nowhere' }));
    assert.deepEqual([wrong.status, Object.keys(wrong.errors)], [400, ['page']]);
  });

  it('TypeScript: asks again where it may, and makes nothing twice', async () => {
    const push = donation({ donationpage: { name: 'lost' }, user: { email: 'lost@example.org' } });
    const { body } = await client.create('donationpush', push as never);
    const orders = await client.page('order', { user__email: 'lost@example.org' });
    assert.equal(orders.meta.total_count, 1);
    assert.equal((body as { order: { resource_uri: string } }).order.resource_uri, orders.objects[0]!.resource_uri);
    const keys = line.seen.filter(({ path }) => path.includes('donationpush')).map(({ key }) => key);
    assert.equal(keys.length, 2);
    assert.ok(keys[0] && keys[0] === keys[1], String(keys));

    assert.equal((await client.page('user', { email: 'lost@example.org' })).meta.total_count, 1);
    const made = await client.create('list', { name: 'lost or not' });
    assert.equal((await client.page('list', { name: 'lost or not' })).objects[0]!.id, made.id);
  });

  it('TypeScript: says by which key a push that may have been made is sent again', async () => {
    const push = donation({ donationpage: { name: 'lost' }, user: { email: 'lost-whole@example.org' } }) as never;
    const once = CampaignClient.fromEnvironment(variables, { attempts: 1 });
    const error = await once.create('donationpush', push).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof UncertainError && error.idempotencyKey, String(error));
    await once.create('donationpush', push, { idempotencyKey: error.idempotencyKey });
    assert.equal((await client.page('order', { user__email: 'lost-whole@example.org' })).meta.total_count, 1);
  });

  it('TypeScript: sends nothing again for a key the platform does not look at, or in small letters', async () => {
    const { uri } = await client.create('user', { email: 'token@example.org' });
    const tokens = (name: string) => client.request(name, `${uri}logintoken/?by=${name}-lost`, { body: {}, idempotencyKey: 'mine' });
    await assert.rejects(tokens('POST'), UncertainError);
    await assert.rejects(tokens('post'), UncertainError);
    const push = donation({ donationpage: { name: 'lost' }, user: { email: 'lost-empty@example.org' } });
    await client.create('donationpush', push as never, { idempotencyKey: '' });
    assert.equal((await client.page('order', { user__email: 'lost-empty@example.org' })).meta.total_count, 1);
  });

  it('TypeScript: does not say that somebody else was there, where that was its own change, whose answer was lost', async () => {
    const { id } = await client.create('mailer', { subjects: ['Hello'] });
    const { targeting_version } = await client.get('mailer', id);
    const guarded = client.update('mailer', id, { notes: 'lost', limit: 5, targeting_version });
    await assert.rejects(guarded, UncertainError);
    assert.equal((await client.get('mailer', id)).limit, 5);
    const stale = await refused(client.update('mailer', id, { limit: 6, targeting_version }));
    assert.equal(stale.status, 409);
  });

  it('TypeScript: asks for what stands before a query that names an object by its URI', async () => {
    const { uri } = await client.create('user', { email: 'named@example.org' });
    const { body } = await client.request('GET', `phone/?user=${uri}`);
    assert.equal((body as { meta: { total_count: number } }).meta.total_count, 0);
  });

  it('TypeScript: waits as long as it is told, and says when nobody is there', async () => {
    const began = performance.now();
    await client.create('list', { name: 'busy' });
    assert.ok(performance.now() - began >= 1000);
    const { url, close } = await losingProxy('');
    await close();
    const nowhere = new CampaignClient({ url, username: 'a', password: 'b', attempts: 2, firstPauseMs: 1 });
    await assert.rejects(
      nowhere.create('list', { name: 'x' }),
      (error) => error instanceof NoAnswerError && !(error instanceof UncertainError),
    );
  });

  it('TypeScript: is a package that plain JavaScript uses', async () => {
    const built = dataFolder();
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'clients/typescript'), '--outDir', built]);
    const script = `import { CampaignClient } from '${built}/index.js';
      console.log((await CampaignClient.fromEnvironment().page('authuser')).objects[0].username);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, ...variables } });
    assert.equal(stdout.trim(), variables.API_USERNAME);
  });

  it('Python: does the same', async function () {
    const old = "import sys; sys.exit(sys.version_info < (3, 10) and 'Python is older than 3.10')";
    const none = await run('python3', ['-c', old]).then(
      () => null,
      (error: Error) => error.message,
    );
    if (none !== null) {
      console.log(`      the Python client was not run: ${none.split('\n')[0]}`);
      return this.skip();
    }
    const path = { PYTHONPATH: join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
    const script = join(import.meta.dirname, 'python_client.py');
    const before = line.seen.length;
    await run('python3', [script], { env: { ...process.env, ...path, ...variables } }).catch(({ stderr }: { stderr: string }) =>
      assert.fail(stderr),
    );
    const pushes = line.seen.slice(before).filter(({ path }) => path.includes('donationpush'));
    assert.equal(pushes.length, 4);
    assert.ok(pushes[0]!.key && pushes[0]!.key === pushes[1]!.key);
  });
});
