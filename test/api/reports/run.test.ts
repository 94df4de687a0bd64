import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { insertPeople } from '../../support/people.ts';
import { everyTurnMs } from '../../support/processor-time.ts';

const SQL = '/rest/v1/report/run/sql/';

describe('running reports', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ STATEMENT_TIMEOUT_MS: '20000', REPORT_MAX_ROWS: '200000', REPORT_SLOTS: '3', REPORT_WAIT_MS: '300' });
    await ensureReportRole(api.pool, api.env);
    await insertPeople(api.pool, [
      { id: 1, email: 'ann@example.org', state: 'NY' },
      { id: 2, email: 'bob@example.org', state: 'CA' },
      { id: 3, email: 'cid@example.org', state: 'CA' },
    ]);
  });
  after(() => api.close());

  const run = (query: string, more: Record<string, unknown> = {}) => api.call('POST', SQL, { query, ...more });
  const rows = async (query: string, more: Record<string, unknown> = {}) => {
    const answer = await run(query, more);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json();
  };

  it('answers rows as arrays, by GET and POST, with and without the slash, as JSON and as a form', async () => {
    const query = 'select id, email from core_user where state = {{ state }} order by id';
    const expected = [
      [2, 'bob@example.org'],
      [3, 'cid@example.org'],
    ];
    const fields = new URLSearchParams({ query, state: 'CA', format: 'json' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const path of [SQL, SQL.slice(0, -1)]) {
      for (const answer of [
        await api.call('GET', `${path}?${fields}`),
        await api.call('GET', `${path}?${fields}`, undefined, { 'content-type': 'application/json' }),
        await api.call('POST', path, { query, state: 'CA' }),
        await api.call('POST', path, fields.toString(), form),
        await api.call('POST', `${path}?state=CA`, { query }),
      ]) {
        assert.equal(answer.statusCode, 200, answer.body);
        assert.match(String(answer.headers['content-type']), /^application\/json/);
        assert.deepEqual(answer.json(), expected);
      }
    }
  });

  it('binds values of every kind where they stand', async () => {
    assert.deepEqual(await rows('select id from core_user where id in ({{ ids }}) order by 1', { ids: [3, '1'] }), [[1], [3]]);
    assert.deepEqual(await rows('select id from core_user where id = any(array[{ids}]::int[]) order by 1', { ids: ['2'] }), [[2]]);
    const repeated = await api.call(
      'GET',
      `${SQL}?query=${encodeURIComponent('select count(*) from core_user where id in ({ids})')}&ids=1&ids=2`,
    );
    assert.deepEqual(repeated.json(), [[2]]);
    assert.deepEqual(await rows('select id from core_user order by id limit {n}', { n: 1 }), [[1]]);
    assert.deepEqual(await rows('select id from core_user where email like {{ begin }} || $$%$$', { begin: 'cid' }), [[3]]);
    assert.deepEqual(
      await rows(`select id from core_user where email like '%{part}%' and state = '{{ state }}'`, { part: 'ob@', state: 'CA' }),
      [[2]],
    );
    assert.deepEqual(await rows(`select timestamp '2026-03-01' - interval '{{ n }} days'`, { n: 2 }), [['2026-02-27T00:00:00']]);
    assert.deepEqual(await rows(`select '{y}-05-06'::date, '{{ d }}'::date + 1`, { y: 2026, d: '2026-01-31' }), [
      ['2026-05-06', '2026-02-01'],
    ]);
    assert.deepEqual(await rows('select id from core_user where state = {s} or {s} is null order by id limit 1', { s: null }), [[1]]);
    assert.deepEqual(await rows('select {x} = true', { x: true }), [[true]]);
    const nasty = `x'); delete from core_user; -- {{ y }} $1 \\ "`;
    assert.deepEqual(await rows(`select {{ x }}, '<{x}>'`, { x: nasty }), [[nasty, `<${nasty}>`]]);
  });

  it('writes every type in one way', async () => {
    const [row] =
      await rows(`select 1::int2, 2147483647, 9007199254740991::int8, 9007199254740993::int8, 1.50::numeric, 0.1::float8, 'NaN'::float8,
      true, null, date '2026-01-02', timestamptz '2026-01-02 03:04:05.678+02', timestamp '2026-01-02 03:04:05', 'infinity'::timestamptz, '{"a": [1]}'::jsonb,
      array['x', null, 'y"z'], array[[1,2],[3,4]], array[timestamptz '2026-01-02 00:00:00+00'], 'ünï€ 😀', '\\x00ff'::bytea, interval '1 day 2 hours', time '01:02:03'`);
    assert.deepEqual(row, [
      1,
      2147483647,
      9007199254740991,
      '9007199254740993',
      '1.50',
      0.1,
      'NaN',
      true,
      null,
      '2026-01-02',
      '2026-01-02T01:04:05',
      '2026-01-02T03:04:05',
      'infinity',
      { a: [1] },
      ['x', null, 'y"z'],
      [
        [1, 2],
        [3, 4],
      ],
      ['2026-01-02T00:00:00'],
      'ünï€ 😀',
      '\\x00ff',
      '1 day 02:00:00',
      '01:02:03',
    ]);
    assert.deepEqual(await rows('select'), [[]]);
    assert.deepEqual(await rows('select 1 where false'), []);
  });

  it('writes CSV when asked, and never a formula', async () => {
    const query = `select 'a,"b"' as "x,y", null, '=1+1', '＝1+1', 'a;=1+1', -5, '-2+3', timestamptz '2026-01-02 03:04:05+00', true, E'two\\nlines'`;
    const expected = `"x,y",?column?,?column?,?column?,?column?,?column?,?column?,timestamptz,?column?,?column?\r\n"a,""b""",,'=1+1,'＝1+1,"a;=1+1",-5,'-2+3,2026-01-02T03:04:05,true,"two\nlines"\r\n`;
    for (const answer of [await run(query, { format: 'csv' }), await api.call('POST', SQL, { query }, { accept: 'text/csv' })]) {
      assert.equal(answer.statusCode, 200, answer.body);
      assert.match(String(answer.headers['content-type']), /^text\/csv/);
      assert.equal(answer.body, expected);
    }
  });

  it('writes tab-separated text when asked', async () => {
    const answer = await run(`select 1 as one, 'a,b' as two, null as three, E'x\\ty' as four`, { format: 'tsv' });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.match(String(answer.headers['content-type']), /^text\/tab-separated-values/);
    assert.deepEqual(answer.body.split('\r\n')[0], 'one\ttwo\tthree\tfour');
    assert.match(answer.body, /^1\ta,b\t\t/m);
  });

  it('has no spreadsheet take a formula between tabs out of the quotes somebody put around it', async () => {
    const query = `select '"=1+1"', '""@x"', '"-2+3"', E'"\t=1"', '"Bob" O"Neill', '"-5"', '"', '""'`;
    const { body } = await run(query, { format: 'tsv' });
    assert.equal(body.split('\r\n')[1], `'"=1+1"\t'""@x"\t'"-2+3"\t" =1"\t"Bob" O"Neill\t'"-5"\t"\t""`);
  });

  it('writes numbers with an exponent as numbers', async () => {
    const query = `select -0.00001::float8 as a, -1e300::float8 as b, -2.5e-7::float4 as c, 1e-5::float8 as d, '-1e5x' as e, '-1e+5+cmd' as f`;
    const cells = ['-1e-05', '-1e+300', '-2.5e-07', '1e-05', `'-1e5x`, `'-1e+5+cmd`];
    assert.equal((await run(query, { format: 'csv' })).body.split('\r\n')[1], cells.join(','));
    assert.equal((await run(query, { format: 'tsv' })).body.split('\r\n')[1], cells.join('\t'));
  });

  it('writes negative numbers as people write them as numbers', async () => {
    const query = `select to_char(-1234.5, 'FM999,990.00') as a, '-5%' as b, '-12.5%' as c, '-1,2+3' as d, '-5%+1' as e, '-1,A1' as f`;
    const cells = ['-1,234.50', '-5%', '-12.5%', `'-1,2+3`, `'-5%+1`, `'-1,A1`];
    const quoted = cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell));
    assert.equal((await run(query, { format: 'csv' })).body.split('\r\n')[1], quoted.join(','));
    assert.equal((await run(query, { format: 'tsv' })).body.split('\r\n')[1], cells.join('\t'));
    const formatted = await run('select format(-1234567.891, 2) as a', { format: 'csv', dialect: 'mysql' });
    assert.equal(formatted.body.split('\r\n')[1], '"-1,234,567.89"');
  });

  it('says what is wrong, under the name of what is wrong', async () => {
    const wrong: [Record<string, unknown>, string, RegExp][] = [
      [{}, 'query', /required/],
      [{ query: ['select 1', 'select 2'] }, 'query', /one text/],
      [{ query: 5 }, 'query', /one text/],
      [{ query: '' }, 'query', /empty/],
      [{ query: 'select {{ a }}, {b}', b: 1 }, 'a', /not given/],
      [{ query: 'select {a}', a: { deep: 1 } }, 'a', /must be text/],
      [{ query: 'select {a}', a: 'x\0' }, 'a', /NUL/],
      [{ query: 'select 1', format: 'xml' }, 'format', /json, csv/],
      [{ query: 'select nothing' }, 'query', /column "nothing" does not exist/],
      [{ query: 'select 1 / 0' }, 'query', /division by zero/],
      [{ query: 'select {a}::int', a: '99999999999999999999' }, 'query', /out of range/],
      [{ query: 'select {a}::int', a: 'x' }, 'query', /invalid input syntax/],
    ];
    for (const [body, field, message] of wrong) {
      const answer = await api.call('POST', SQL, body);
      assert.equal(answer.statusCode, 400, `${JSON.stringify(body)} ${answer.body}`);
      const { errors } = answer.json();
      assert.deepEqual(Object.keys(errors), [field]);
      assert.match(errors[field][0], message);
    }
  });

  it('says that a statement takes too long', async () => {
    const impatient = await startApi({ STATEMENT_TIMEOUT_MS: '500' });
    await ensureReportRole(impatient.pool, impatient.env);
    const answer = await impatient.call('POST', SQL, { query: 'select count(*) from generate_series(1, 1000000000)' });
    await impatient.close();
    assert.equal(answer.statusCode, 400);
    assert.match(answer.json().errors.query[0], /longer than 0.5 seconds/);
  });

  it('holds nobody up with an array of very many members', async () => {
    const many = 100_000;
    const query = `select array_agg(timestamptz '2026-01-02 03:04:05+00' + i * interval '1 second') from generate_series(1, ${many}) i`;
    const held = await everyTurnMs(400, async () => assert.equal((await rows(query))[0][0].length, many));
    assert.ok(held < 400, `it held the others for ${Math.round(held)} ms`);
  });

  it('cuts an answer off that turns out too long when its beginning is out', async () => {
    await assert.rejects(run('select * from generate_series(1, 200001)'), /destroyed/);
  });

  it('runs saved reports by short name', async () => {
    await api.create('queryreport', {
      name: 'By state',
      short_name: 'by_state',
      sql: 'select id from core_user where state = {{ state }} order by 1',
    });
    assert.deepEqual(await api.read('/rest/v1/report/run/by_state/?state=CA'), [[2], [3]]);
    assert.deepEqual((await api.call('POST', '/rest/v1/report/run/by_state', { state: 'NY' })).json(), [[1]]);
    assert.deepEqual((await api.call('GET', '/rest/v1/report/run/by_state/')).json().errors, {
      state: ['The parameter state is used in the SQL and was not given.'],
    });
    for (const name of ['nothing', '%00', 'x'.repeat(600), '%ff']) {
      const answer = await api.call('GET', `/rest/v1/report/run/${name}/`);
      assert.ok([400, 404].includes(answer.statusCode), `${name} ${answer.statusCode}`);
    }
    assert.equal((await api.call('HEAD', '/rest/v1/report/run/by_state/?state=CA')).statusCode, 405);
  });

  it('needs report:sql for SQL of the caller’s own', async () => {
    await api.pool.query(`with g as (insert into auth_group (name, grants) values ('readers', '["report:read"]') returning id),
      u as (insert into auth_user (username, password) select 'reader', password from auth_user where username = 'admin' returning id)
      insert into auth_user_groups (auth_user_id, auth_group_id) select u.id, g.id from u, g`);
    const reader = { authorization: basic({ username: 'reader', password: 'test-password' }) };
    const refused = await api.call('POST', SQL, { query: 'select 1' }, reader);
    assert.equal(refused.statusCode, 403);
    assert.deepEqual(refused.json(), { errors: { permission: ['report:sql'] } });
    assert.equal((await api.call('GET', '/rest/v1/report/run/by_state/?state=CA', undefined, reader)).statusCode, 200);
    assert.equal((await api.call('GET', SQL, undefined, { authorization: '' })).statusCode, 401);
  });

  it('needs report:sql for another name of a saved report: mailings call it by that', async () => {
    const login = { username: 'librarian', password: 'long-enough' };
    const group = await api.create('authgroup', { name: 'librarians', grants: ['queryreport:read', 'queryreport:write'] });
    await api.create('authuser', { ...login, groups: [group] });
    const librarian = { authorization: basic(login) };
    const uri = await api.create('queryreport', { name: 'Donors', short_name: 'donors', sql: 'select id from core_user' });
    const refused = await api.call('PATCH', uri, { short_name: 'others' }, librarian);
    assert.deepEqual([refused.statusCode, refused.json()], [403, { errors: { permission: ['report:sql'] } }]);
    const kept = await api.call('PATCH', uri, { short_name: ' donors ', name: 'All donors', hidden: true }, librarian);
    assert.equal(kept.statusCode, 202, kept.body);
    assert.equal((await api.call('PATCH', uri, { short_name: 'others' })).statusCode, 202);
    assert.deepEqual(((r) => [r.name, r.short_name])(await api.read(uri)), ['All donors', 'others']);
  });

  describe('over a real connection', () => {
    let port: number;
    before(async () => {
      await api.app.listen({ port: 0, host: '127.0.0.1' });
      port = (api.app.server.address() as AddressInfo).port;
    });

    const ask = (query: string) =>
      http.get({ port, path: `${SQL}?query=${encodeURIComponent(query)}`, headers: { authorization: basic() }, agent: false });
    const running = async () => {
      const { rows } = await api.pool.query(
        `select count(*)::int as n from pg_stat_activity where usename = 'campaign_report' and datname = current_database()`,
      );
      return rows[0].n as number;
    };
    const until = async (wanted: number) => {
      const end = Date.now() + 200_000;
      while ((await running()) !== wanted) {
        assert.ok(Date.now() < end, `still ${await running()} running`);
        await sleep(50);
      }
    };
    const LONG = 'select count(*) from generate_series(1, 10000000000)';

    it('ends the statement when the caller hangs up', async () => {
      await until(0);
      const request = ask(LONG);
      request.on('error', () => undefined);
      await until(1);
      request.destroy();
      await until(0);
    });

    it('says at level info that a caller hung up, and calls it no error', async () => {
      await until(0);
      const said: string[] = [];
      const log = api.app.log as unknown as Record<string, (...args: unknown[]) => void>;
      const levels = ['info', 'warn', 'error'];
      const before = levels.map((level) => log[level]!);
      for (const level of levels) log[level] = (...args) => said.push(`${level}: ${args.at(-1)}`);
      try {
        const waiting = [ask(LONG), ask(LONG)];
        for (const request of waiting) request.on('error', () => undefined);
        await until(2);
        // One waits for its turn still.
        waiting.push(ask(LONG).on('error', () => undefined));
        const arrived = () => said.filter((line) => line === 'info: incoming request').length;
        for (let tries = 0; tries < 10_000 && arrived() < 3; tries++) await sleep(20);
        await sleep(100);
        for (const request of waiting) request.destroy();
        await until(0);
        for (let tries = 0; tries < 10_000 && said.filter((line) => /hung up/.test(line)).length < 3; tries++) await sleep(20);
        assert.equal(said.filter((line) => line === 'info: the caller of a report hung up').length, 3, said.join('; '));
        assert.deepEqual(
          said.filter((line) => !line.startsWith('info')),
          [],
        );
      } finally {
        for (const [index, level] of levels.entries()) log[level] = before[index]!;
      }
    });

    it('lets only so many run, and tells the others to come back', async () => {
      await until(0);
      const both = [ask(LONG), ask(LONG)];
      for (const request of both) request.on('error', () => undefined);
      await until(2);
      const answer = await run('select 1');
      assert.equal(answer.statusCode, 503);
      assert.match(answer.body, /Too many reports/);
      assert.equal(await running(), 2);
      for (const request of both) request.destroy();
      await until(0);
      assert.deepEqual(await rows('select 1'), [[1]]);
    });

    it('leaves a slot to others when one account takes all it can', async () => {
      await until(0);
      const group = await api.create('authgroup', { name: 'writers of SQL', grants: ['report:read', 'report:sql'] });
      await api.create('authuser', { username: 'other', email: 'o@example.org', password: 'long-enough-password', groups: [group] });
      const greedy = Array.from({ length: 6 }, () => ask(LONG));
      for (const request of greedy) request.on('error', () => undefined);
      await until(2);
      const other = { authorization: basic({ username: 'other', password: 'long-enough-password' }) };
      const answer = await api.call('POST', SQL, { query: 'select 1' }, other);
      assert.deepEqual(answer.json(), [[1]]);
      assert.ok((await running()) > 0, 'the others had ended before it was answered');
      for (const request of greedy) request.destroy();
      await until(0);
    });

    it('takes no more off the database than the caller reads, and cuts off what fails late', async () => {
      await until(0);
      const before = process.memoryUsage().rss;
      const request = ask(`select g, repeat('x', 3000) from generate_series(1, 20000) g`);
      const response = await new Promise<http.IncomingMessage>((resolve) => request.on('response', resolve));
      response.pause();
      await sleep(1000);
      assert.equal(await running(), 1);
      assert.ok(process.memoryUsage().rss - before < 45_000_000);
      let bytes = 0;
      for await (const chunk of response) bytes += (chunk as Buffer).length;
      assert.ok(bytes > 60_000_000, `${bytes}`);
      await until(0);

      const late = ask('select g, 1 / (150000 - g) from generate_series(1, 199000) g');
      const cut = await new Promise<http.IncomingMessage>((resolve) => late.on('response', resolve));
      assert.equal(cut.statusCode, 200);
      await assert.rejects(async () => {
        for await (const _ of cut);
      }, /aborted/);
    });
  });
});
