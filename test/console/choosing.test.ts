import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN, startApi, type TestApi } from '../support/api.ts';
import { ConsoleVisitor } from '../support/console-visitor.ts';
import { idIn, READY } from '../support/mailings.ts';

const PEOPLE = 12_000;

describe('choosing an audience among very many, as the script of its form does', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let uri: string;
  let at: string;
  let token: string;

  before(async () => {
    api = await startApi({ AUDIENCE_SAMPLE: '1000' });
    await api.pool.query(`
      insert into core_list (name) select case i when 7 then '50% off_er <b>' else 'Chapter ' || i end from generate_series(1, 10000) i;
      insert into core_user (email, state, subscription_status)
        select i || '@example.org', case when i % 4 = 0 then 'CA' when i % 1000 = 1 then 'NY' else 'TX' end, 'subscribed' from generate_series(1, ${PEOPLE}) i;
      insert into core_subscription (user_id, list_id) select id, 1 + id % 2 from core_user;
      analyze core_user, core_subscription`);
    uri = await api.create('mailer', READY);
    at = `/console/mailings/${idIn(uri)}/choose/`;
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
    token = visitor.token(await visitor.get(at));
  });
  after(() => api.close());

  const counted = async (fields: Record<string, string | string[]>) => {
    const answer = await visitor.post(`${at}counts`, { _csrf: token, ...fields });
    return { status: answer.statusCode, ...answer.json() };
  };
  const number = (text: string) => Number(/([\d,]+) pe(rson|ople)/.exec(text)![1]!.replaceAll(',', ''));

  it('tells how many each field and all of it would mean, about where they are many, and saves nothing', async () => {
    const { status, counts, said } = await counted({ 'includes.lists': '1', 'includes.states': 'tx, ny', 'excludes.states': 'NY' });
    equal(status, 200);
    deepEqual(Object.keys(counts).sort(), ['excludes.states', 'includes.lists', 'includes.states']);
    match(said, /^About [\d,]+ people of [\d,]+ who can be mailed at all would get it\. Made up from \d/);
    for (const [field, wanted] of [
      ['includes.lists', 6000],
      ['includes.states', 9000],
    ] as const) {
      match(counts[field], /^about /);
      ok(Math.abs(number(counts[field]) - wanted) < wanted * 0.2, `${field}: ${counts[field]}`);
    }
    // Few are counted to the last.
    const few = await counted({ 'includes.states': 'NY', limit: '5' });
    deepEqual([few.counts['includes.states'], few.people], ['12 people', '5']);
    equal(few.said, '5 people of 12,000 who can be mailed at all would get it.');
    const { includes, targeting_version: version } = await api.read(uri);
    deepEqual([includes, version], [{}, 1]);
  });

  it('counts on top of what only the API can say', async () => {
    await api.call('PATCH', uri, { includes: { users: [1, 2, 5] } });
    equal((await counted({ 'excludes.states': 'NY' })).people, '2');
    await api.call('PATCH', uri, { includes: { users: null } });
  });

  it('says what cannot be counted', async () => {
    for (const [fields, words] of [
      [{ 'includes.states': 'New York' }, /two-letter/],
      [{ 'includes.zip_radius': '5' }, /“Miles around the zips or cities” says nothing without zips/],
      [{ 'includes.zips': 'Nowhere at all', 'includes.zip_radius': '5' }, /./],
      [{ 'includes.lists': '4711000' }, /no list/],
      [{ 'includes.actions': '4711000' }, /refers to nothing/],
      [{ limit: '-3' }, /“At most” must be at least 1/],
    ] as const) {
      const { status, problems } = await counted(fields);
      equal(status, 400, JSON.stringify(fields));
      match(problems.join(), words);
    }
    const absent = await visitor.post('/console/mailings/4711/choose/counts', { _csrf: token });
    equal(absent.statusCode, 404);
    equal((await visitor.post(`${at}counts`, {})).statusCode, 403);
  });

  it('offers a few of ten thousand, and finds the others by what they are called', async () => {
    await api.call('PATCH', uri, { includes: { lists: [9876] } });
    const { body } = await visitor.get(at);
    match(body, /value="9876" checked/);
    ok([...body.replace(/<noscript>.*?<\/noscript>/gs, '').matchAll(/name="includes\.lists"/g)].length <= 41);
    ok(body.length < 400_000, `${body.length} characters`);
    const find = async (q: string) => (await visitor.get(`/console/choices/lists?${new URLSearchParams({ q })}`)).json();
    deepEqual(await find('chapter 77'), {
      found: (await find('chapter 77')).found,
      more: true,
    });
    equal((await find('chapter 77')).found.length, 40);
    deepEqual(await find('chapter 9999'), { found: [{ id: 9999, name: 'Chapter 9999' }], more: false });
    deepEqual(await find('0% off_'), { found: [{ id: 7, name: '50% off_er <b>' }], more: false });
    deepEqual((await find('4321')).found.map(({ id }: { id: number }) => id).includes(4321), true);
    for (const q of ['%', '_', "'", '\0', '\\', 'x'.repeat(5000), '\ud800'])
      equal((await visitor.get(`/console/choices/lists?q=${encodeURIComponent(q.toWellFormed())}`)).statusCode, 200, q);
    equal((await visitor.get('/console/choices/nothing?q=a')).statusCode, 404);
    equal((await visitor.get('/console/choices/constructor?q=a')).statusCode, 404);
    await api.call('PATCH', uri, { includes: { lists: null } });
  });

  it('is for who may change mailings, and no write in the log', async () => {
    const reader = await account('reader', ['mailer:read']);
    const page = await reader.get(at);
    doesNotMatch(page.body, /choose\.js|data-counts/);
    equal((await reader.post(`${at}counts`, { _csrf: reader.token(page) })).statusCode, 403);
    equal((await reader.get('/console/choices/lists?q=a')).statusCode, 200);
    const other = await account('other', ['user:read']);
    equal((await other.get('/console/choices/lists?q=a')).statusCode, 403);
    await sleep(400);
    const { rows } = await api.pool.query(`select path from core_auditlog where path like '%choose/counts' and status < 400`);
    deepEqual(rows, []);
  });

  async function account(username: string, grants: string[]): Promise<ConsoleVisitor> {
    const group = await api.create('authgroup', { name: username, grants });
    await api.create('authuser', { username, password: 'long-enough', is_staff: true, groups: [group] });
    const made = new ConsoleVisitor(api.app);
    await made.logIn({ username, password: 'long-enough' });
    return made;
  }

  it('is given up on the server when somebody goes on typing, and after a while', async () => {
    await api.pool.query(`
      alter table core_blackholedemail rename to blackholed_rows;
      create view core_blackholedemail as select r.*, (select 1 from pg_sleep(60)) as slow from blackholed_rows r where (select true from pg_sleep(60))`);
    const running = async () =>
      (
        await api.pool.query(`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and state = 'active' and query like '%core_blackholedemail%' and pid <> pg_backend_pid()`)
      ).rows[0].n;
    const until = async (wanted: number) => {
      const begun = Date.now();
      while ((await running()) !== wanted && Date.now() - begun < 5000) await sleep(20);
      equal(await running(), wanted);
      return Date.now() - begun;
    };
    const origin = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const ask = (signal?: AbortSignal) =>
      fetch(`${origin}${at}counts`, {
        method: 'POST',
        headers: { cookie: visitor.cookie },
        body: new URLSearchParams({ _csrf: token }),
        ...(signal && { signal }),
      });
    for (let n = 0; n < 3; n++) {
      const typing = new AbortController();
      const asked = ask(typing.signal).catch(() => null);
      await until(1);
      typing.abort();
      await asked;
      ok((await until(0)) < 2000);
    }
    const [patient, second] = await Promise.all([ask(), sleep(200).then(() => ask(AbortSignal.timeout(3000)).catch(() => null))]);
    equal(second, null);
    equal(patient.status, 503);
    match(((await patient.json()) as { problems: string[] }).problems.join(), /takes too long/);
  });
});
