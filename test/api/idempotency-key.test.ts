import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetPush, once } from '../../core/once.ts';
import { sqlOn } from '../../db/sql.ts';
import { UnavailableError } from '../../domain/errors.ts';
import { ADMIN, basic, startApi, type TestApi } from '../support/api.ts';
import { idIn, makeReady, setMailing } from '../support/mailings.ts';

type Ask = { path: string; body: unknown; other: unknown; headers?: Record<string, string> };

/** A form with one file. */
const formOf = (fields: Record<string, string>, file: string, filename: string, email = 'file@example.org') => {
  const part = (name: string, more: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => part(name, '', value));
  return Buffer.from(`${texts.join('')}${part(file, `; filename="${filename}"`, `email\n${email}\n`)}--b--\r\n`);
};
const FORM = { 'content-type': 'multipart/form-data; boundary=b' };
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

describe('a POST that is sent again with its Idempotency-Key', () => {
  let api: TestApi;
  let asks: Record<string, Ask>;
  before(async () => {
    api = await startApi({ CRM_KIND: 'http', CRM_URL: 'http://127.0.0.1:9/' });
    for (const email of ['ann@example.org', 'bob@example.org', 'cyd@example.org', 'dan@example.org']) await api.create('user', { email });
    await api.create('list', { name: 'News', is_default: true });
    await api.create('signuppage', { name: 'join' });
    await api.create('importpage', { name: 'import' });
    await api.create('queryreport', { name: 'Few', short_name: 'few', sql: 'select {{ n }} as n' });
    // There is somebody to send to.
    const join = { page: 'join', email: 'ann@example.org' };
    equal((await api.call('POST', '/rest/v1/action/', join)).statusCode, 201);
    // An erasure is waited for, and nobody erases here.
    await api.pool.query(`alter table core_erasure alter status set default 'complete'`);
    const draft = await api.create('mailer', { subjects: ['One'] });
    const merge = (users: number[]) => ({ primary_user: 1, users, address_user: 1, source_user: 1 });
    const proofs = (count: number) => ({ proofs: count, reviewers: ['reviewer@example.org'] });
    asks = {
      core_user: { path: 'user/', body: { email: 'eve@example.org' }, other: { email: 'fay@example.org' } },
      core_tag: { path: 'tag/', body: { name: 'one' }, other: { name: 'two' } },
      core_page: { path: 'petitionpage/', body: { name: 'sign' }, other: { name: 'sign-too' } },
      core_webhook: {
        path: 'webhook/',
        body: { url: 'https://example.org/a', events: ['action'], secret: SECRET },
        other: { url: 'https://example.org/b', events: ['action'], secret: SECRET },
      },
      core_mailing: { path: 'mailer/', body: { subjects: ['Two'], limit: 5 }, other: { subjects: ['Two'], limit: 6 } },
      'core_mailing of copies': { path: `${draft.slice('/rest/v1/'.length)}copy/`, body: {}, other: { targeting: false } },
      core_mailingproof: { path: `${(await makeReady(api)).slice('/rest/v1/'.length)}proofs/`, body: proofs(1), other: proofs(2) },
      core_mailingrebuild: { path: `${draft.slice('/rest/v1/'.length)}rebuild/`, body: {}, other: { fast_rebuild: true } },
      core_usermerge: { path: 'usermerge/', body: merge([2]), other: merge([3]) },
      core_erasure: { path: 'eraser/', body: { user_id: 4 }, other: { user_id: 3 } },
      core_action: { path: 'action/', body: { page: 'join', email: 'gus@example.org' }, other: { page: 'join', email: 'hal@example.org' } },
      core_upload: {
        path: 'upload/',
        body: formOf({ page: 'import' }, 'upload', 'a.csv'),
        other: formOf({ page: 'import' }, 'upload', 'b.csv'),
        headers: FORM,
      },
      core_mergefile: {
        path: 'mergefile/',
        body: formOf({ name: 'A' }, 'file', 'a.csv'),
        other: formOf({ name: 'B' }, 'file', 'a.csv'),
        headers: FORM,
      },
      core_backgroundtask: { path: 'report/background/few/?n=1', body: {}, other: { n: 2 } },
      core_crmmap: { path: 'crmmap/', body: { user_id: 1 }, other: { user_id: 3 } },
    };
  });
  after(() => api.close());

  const post = ({ path, headers }: Ask, key: string, body: unknown) =>
    api.call('POST', `/rest/v1/${path}`, body, { ...headers, 'idempotency-key': key });
  const rows = async (table: string) => Number((await api.pool.query(`select count(*) from ${table.split(' ')[0]}`)).rows[0].count);

  it('makes one, and is answered as the first one was', async function () {
    this.timeout(120_000);
    for (const [table, ask] of Object.entries(asks)) {
      const before = await rows(table);
      const answers = await Promise.all([post(ask, `key of ${table}`, ask.body), post(ask, `key of ${table}`, ask.body)]);
      answers.push(await post(ask, `key of ${table}`, ask.body));
      const said = answers.map(({ statusCode, headers, body }) => [statusCode, headers.location, body]);
      deepEqual([table, said[1], said[2]], [table, said[0], said[0]]);
      equal(String(said[0]![0]).slice(0, 1), table === 'core_erasure' ? '3' : '2', `${table}: ${answers[0]!.body}`);
      equal((await rows(table)) - before, 1, table);
    }
  });

  it('is refused with another body, naming the header', async () => {
    for (const [table, ask] of Object.entries(asks)) {
      const before = await rows(table);
      const { statusCode, body } = await post(ask, `key of ${table}`, ask.other);
      equal(statusCode, 400, `${table}: ${body}`);
      const [said] = Object.values<object>(JSON.parse(body));
      deepEqual([table, Object.keys(said!)], [table, ['Idempotency-Key']], body);
      equal(await rows(table), before, table);
    }
  });

  it('is refused with another file of the same name', async () => {
    for (const [path, field, fields] of [
      ['upload/', 'upload', { page: 'import' }],
      ['mergefile/', 'file', { name: 'C' }],
    ] as const) {
      const answers = [];
      for (const email of ['file@example.org', 'more@example.org'])
        answers.push(await post({ path, body: null, other: null, headers: FORM }, 'one name', formOf(fields, field, 'same.csv', email)));
      deepEqual([path, ...answers.map(({ statusCode }) => statusCode)], [path, 201, 400], answers[1]!.body);
    }
  });

  it('makes another with another key, of another account, or of another object', async () => {
    const key = { 'idempotency-key': 'shared' };
    const one = await api.call('POST', '/rest/v1/list/', { name: 'first' }, key);
    const second = await api.call('POST', '/rest/v1/list/', { name: 'second' }, { 'idempotency-key': 'not shared' });
    notEqual(one.headers.location, second.headers.location);
    await api.create('authuser', { username: 'other', password: 'a long enough password', is_staff: true, is_superuser: true });
    const theirs = { ...key, authorization: basic({ ...ADMIN, username: 'other', password: 'a long enough password' }) };
    const third = await api.call('POST', '/rest/v1/list/', { name: 'third' }, theirs);
    equal(third.statusCode, 201, third.body);
    notEqual(third.headers.location, one.headers.location);
    const drafts = [await api.create('mailer', { subjects: ['A'] }), await api.create('mailer', { subjects: ['B'] })];
    const copies = await Promise.all(drafts.map((uri) => api.call('POST', `${uri}copy/`, {}, key)));
    notEqual(copies[0]!.headers.location, copies[1]!.headers.location);
  });

  it('makes another of callers without credentials, who know nothing of each other’s keys', async () => {
    const strangers = { authorization: '', 'idempotency-key': '1' };
    const join = (email: string) => api.call('POST', '/rest/v1/action/', { page: 'join', email }, strangers);
    const [one, other, again] = [await join('one@example.org'), await join('other@example.org'), await join('one@example.org')];
    deepEqual([one.statusCode, other.statusCode, again.body], [201, 201, one.body], other.body);
    notEqual(other.json().action_id, one.json().action_id);
  });

  it('is the first one where the one before it was refused', async () => {
    const key = { 'idempotency-key': 'refused before' };
    equal((await api.call('POST', '/rest/v1/user/', { email: 'ann@example.org' }, key)).statusCode, 409);
    equal((await api.call('POST', '/rest/v1/user/', { email: 'ida@example.org' }, key)).statusCode, 201);
  });

  it('is answered, when what it made is gone, with where it was; an action, which is shown, with 404', async () => {
    const key = { 'idempotency-key': 'gone' };
    const list = await api.call('POST', '/rest/v1/list/', { name: 'goes' }, key);
    const action = await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'gus@example.org' }, key);
    for (const { headers } of [list, action]) equal((await api.call('DELETE', String(headers.location))).statusCode, 204);
    equal((await api.call('POST', '/rest/v1/list/', { name: 'goes' }, key)).headers.location, list.headers.location);
    equal((await api.call('POST', '/rest/v1/action/', { page: 'join', email: 'gus@example.org' }, key)).statusCode, 404);
  });

  it('is answered so, too, where something its body refers to is gone', async () => {
    const [list, tag] = [await api.create('list', { name: 'referred to' }), await api.create('tag', { name: 'referred to' })];
    const asks: [string, object][] = [
      ['signuppage/', { name: 'refers', list, tags: [tag] }],
      ['mailer/', { subjects: ['Refers'], tags: [tag] }],
    ];
    const answers = async () =>
      Promise.all(
        asks.map(async ([path, body]) => {
          const { statusCode, headers } = await post({ path, body, other: null }, 'refers', body);
          return [statusCode, headers.location];
        }),
      );
    const first = await answers();
    deepEqual([first[0]![0], first[1]![0]], [201, 201]);
    for (const gone of [list, tag]) equal((await api.call('DELETE', gone)).statusCode, 204, gone);
    deepEqual(await answers(), first);
  });

  it('erases after all whom it could not the first time, once', async () => {
    const body = { user_id: Number(idIn(await api.create('user', { email: 'jon@example.org' }))) };
    const erase = (sent = body) => post(asks['core_erasure']!, 'failed before', sent);
    const ends = (status: string) => api.pool.query(`alter table core_erasure alter status set default '${status}'`);
    await ends('failed');
    equal((await erase()).statusCode, 400);
    await ends('complete');
    const before = await rows('core_erasure');
    equal((await erase({ user_id: 3 })).statusCode, 400);
    const answers = [...(await Promise.all(Array.from({ length: 8 }, () => erase()))), await erase()];
    deepEqual(
      answers.map(({ statusCode }) => statusCode),
      Array(9).fill(303),
      answers[0]!.body,
    );
    equal((await rows('core_erasure')) - before, 1);
  });

  it('does not take back what another one with its key, who took back the same before, has made anew', async () => {
    const sql = sqlOn(api.pool);
    const push = { idempotencyKey: 'taken back twice', accountId: 1, route: '/', body: null };
    const ask = (id: number) => once(sql, push, async () => id);
    equal(await ask(1), 1);
    await forgetPush(sql, push, 1);
    equal(await ask(2), 2);
    await forgetPush(sql, push, 1);
    equal(await ask(3), 2);
  });

  it('sends a mailing once, and not on again where it was stopped meanwhile', async () => {
    const ready = await makeReady(api);
    const queue = () => api.call('POST', `${ready}queue/`, {}, { 'idempotency-key': 'sent once' });
    const answers = await Promise.all([queue(), queue()]);
    deepEqual(
      answers.map(({ statusCode, headers }) => [statusCode, headers.location]),
      Array(2).fill([201, `${api.env.BASE_URL}${ready}progress/`]),
    );
    await setMailing(api, ready, { status: 'stopped' });
    const before = api.workflows.starts.length;
    equal((await queue()).statusCode, 201);
    const { rows } = await api.pool.query('select status from core_mailing where id = $1', [idIn(ready)]);
    deepEqual([rows[0].status, api.workflows.starts.length - before], ['stopped', 0]);
    // Without the key it is another order.
    equal((await api.call('POST', `${ready}queue/`, {})).statusCode, 201);
    ok(api.workflows.starts.length > before);
  });

  it('sends a mailing after all that could not be started the first time, and says so where that could not be taken back', async () => {
    const ready = await makeReady(api);
    const queue = () => api.call('POST', `${ready}queue/`, {}, { 'idempotency-key': 'not started' });
    const status = async () => (await api.pool.query('select status from core_mailing where id = $1', [idIn(ready)])).rows[0].status;
    api.workflows.failure = new UnavailableError('The workflow service cannot be reached; nothing was changed.');
    deepEqual([(await queue()).statusCode, await status()], [503, 'draft']);
    // Of both, the mailing and the key, nothing or all is taken back.
    await api.pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuse before delete on push_key for each row execute function refuse()`);
    const asked = await queue();
    deepEqual([asked.statusCode, await status()], [503, 'queued'], asked.body);
    ok(/may be started/.test(asked.body), asked.body);
    await api.pool.query('drop function refuse() cascade');
    api.workflows.failure = null;
    const before = api.workflows.starts.length;
    equal((await queue()).statusCode, 201);
    ok(api.workflows.starts.length > before);
  });

  describe('comes while the start of the first one is waited for', () => {
    type Start = { done: (outcome: 'started') => void; fails: (error: Error) => void };
    const AWAY = new UnavailableError('The workflow service cannot be reached; nothing was changed.');
    const starts: Start[] = [];
    let start: typeof api.workflows.start;
    beforeEach(() => {
      starts.length = 0;
      start = api.workflows.start;
      api.workflows.start = () => new Promise((done, fails) => starts.push({ done, fails }));
    });
    afterEach(() => {
      api.workflows.start = start;
    });
    const begun = async (many: number) => {
      while (starts.length < many) await sleep(5);
    };
    const asked = async (url: (mailing: string) => string, key: string, more: object = {}) => {
      const ready = await makeReady(api, more);
      const ask = () => api.call('POST', url(ready), {}, key ? { 'idempotency-key': key } : {});
      const first = ask();
      await begun(1);
      const second = ask();
      await begun(2);
      return { ready, first, second, status: async () => (await api.read(ready)).status };
    };

    it('and is sent where its own start succeeds, and the first one has failed before', async () => {
      const { first, second, status } = await asked((ready) => `${ready}queue/`, 'failed first');
      starts[0]!.fails(AWAY);
      deepEqual([(await first).statusCode, await status()], [503, 'draft']);
      starts[1]!.done('started');
      await begun(3);
      starts[2]!.done('started');
      deepEqual([(await second).statusCode, await status()], [201, 'queued']);
    });

    it('and stays sent where its own start succeeds, and the first one fails after', async () => {
      const { first, second, status } = await asked((ready) => `${ready}queue/`, 'failed last');
      starts[1]!.done('started');
      equal((await second).statusCode, 201);
      starts[0]!.fails(AWAY);
      deepEqual([(await first).statusCode, await status()], [201, 'queued']);
    });

    it('and is not said to be on the schedule, without a key, where the first one has failed before', async () => {
      const { first, second, status } = await asked((ready) => `${ready}queue/`, '', { scheduled_for: '2040-01-01T00:00:00' });
      starts[0]!.fails(AWAY);
      equal((await first).statusCode, 503);
      starts[1]!.done('started');
      deepEqual([(await second).statusCode, await status()], [400, 'draft']);
    });

    for (const key of ['', 'built first'])
      it(`and is built where it has ${key ? 'another' : 'no'} key and the first one has failed before`, async () => {
        const ready = await makeReady(api);
        const ask = (again: string) => api.call('POST', `${ready}rebuild/`, {}, again ? { 'idempotency-key': again } : {});
        const first = ask('');
        await begun(1);
        const second = ask(key);
        await begun(2);
        starts[0]!.fails(AWAY);
        equal((await first).statusCode, 503);
        starts[1]!.done('started');
        await begun(3);
        starts[2]!.done('started');
        const { statusCode, headers } = await second;
        equal(statusCode, 201);
        equal((await api.call('GET', String(headers.location))).statusCode, 200);
      });
  });

  it('is offered by every POST that makes something', async () => {
    const { paths } = await api.read('/rest/v1/openapi.json');
    const without = Object.entries<Record<string, { parameters?: { name: string }[]; responses: Record<string, { headers?: object }> }>>(
      paths,
    )
      .filter(([, { post }]) => post?.responses['201']?.headers && !post.parameters?.some(({ name }) => name === 'idempotency-key'))
      .map(([path]) => path.replace('/rest/v1/', ''))
      // A POST to an id of the caller's choice makes the one that has it.
      .filter((path) => !/^\w+\/\{id\}\/$/.test(path));
    deepEqual(without, []);
  });
});
