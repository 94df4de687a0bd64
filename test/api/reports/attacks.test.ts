import assert from 'node:assert/strict';
import { hashPassword } from '../../../core/accounts/password.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import { akid } from '../../../domain/akid.ts';
import { DIALECTS } from '../../../domain/words.ts';
import { basic, startApi, type TestApi } from '../../support/api.ts';
import { insertPeople } from '../../support/people.ts';
import { ATTACKS, HARMLESS_IN_MYSQL, LEGAL } from './attacks.ts';

describe('hostile SQL', () => {
  const SECRET = 'planted-secret-key-7f3a';
  let api: TestApi;
  let secrets: string[];
  let untouched: unknown;

  before(async () => {
    api = await startApi({ SECRET_KEY: SECRET, STATEMENT_TIMEOUT_MS: '1000', REPORT_MAX_ROWS: '1000' });
    await ensureReportRole(api.pool, api.env);
    await insertPeople(api.pool, [{ id: 1, email: 'ann@example.org', state: 'NY' }]);
    await api.pool.query(`insert into core_page (name, type) values ('p', 'signup')`);
    const hash = await hashPassword('planted-password-91c');
    await api.pool.query(`insert into auth_user (username, password, email) values ('planted-account-2b', $1, 'planted@example.org')`, [
      hash,
    ]);
    secrets = [SECRET, hash, hash.slice(0, 24), 'root:x:0', new URL(api.databaseUrl).password];
    untouched = await state();
  });
  after(() => api.close());

  /** Everything an attack could have changed, as the owner sees it. */
  async function state(): Promise<unknown> {
    const { rows } = await api.pool.query(`select
      (select json_agg(u order by id) from core_user u) as people,
      (select json_agg(to_jsonb(a) - 'last_login' order by id) from auth_user a) as accounts,
      (select count(*) from core_tag) as tags,
      (select last_value from core_user_id_seq) as sequence,
      (select json_agg(relname order by relname) from pg_class where relnamespace::regnamespace::text in ('public', 'report')) as relations,
      (select json_agg(nspname order by nspname) from pg_namespace where nspname !~ '^pg_t') as schemas,
      (select json_agg(rolname || rolsuper order by rolname) from pg_roles) as roles,
      (select count(*) from pg_largeobject_metadata) as objects,
      (select count(*) from pg_proc) as functions,
      (select count(*) from pg_extension) as extensions,
      (select count(*) from pg_locks where locktype = 'advisory') as locks`);
    return rows[0];
  }

  const run = (query: string, dialect = 'postgresql') => api.call('POST', '/rest/v1/report/run/sql/', { query, dialect });
  const hides = (body: string, query: string) => {
    for (const secret of secrets) assert.ok(!body.includes(secret), `${query} shows ${secret}`);
  };

  it('is a wide choice', () => {
    assert.ok(new Set(ATTACKS).size >= 250, `${new Set(ATTACKS).size}`);
  });

  for (const dialect of DIALECTS)
    it(`is refused with a clear word in ${dialect}, has no effect and costs no connection`, async () => {
      // One of the platform's connections, idle all the while.
      const held = await api.pool.connect();
      held.once('error', (error) => assert.fail(error));
      for (const query of ATTACKS) {
        const began = Date.now();
        const answer = await run(query, dialect);
        const what = `${query.slice(0, 120)} → ${answer.statusCode} ${answer.body.slice(0, 300)}`;
        // What MySQL means by some of them is harmless: there a comment, here a text.
        if (!LEGAL.includes(query) && !(dialect === 'mysql' && HARMLESS_IN_MYSQL.includes(query))) {
          assert.equal(answer.statusCode, 400, what);
          const [message] = answer.json().errors.query;
          assert.ok(message.length > 15 && message.length < 1000, what);
        }
        hides(answer.body, query);
        assert.ok(Date.now() - began < 20_000, `${what} took ${Date.now() - began} ms`);
      }
      assert.deepEqual(await state(), untouched);
      assert.equal((await held.query('select 1')).rowCount, 1);
      held.release();
      assert.deepEqual((await run('select count(*) from core_user')).json(), [[1]]);
    });

  for (const dialect of DIALECTS)
    it(`is harmless in ${dialect} where it is only odd`, async () => {
      for (const query of LEGAL) {
        const answer = await run(query, dialect);
        const expected = dialect === 'mysql' ? [200, 400] : [200];
        assert.ok(expected.includes(answer.statusCode), `${query} ${answer.body}`);
        hides(answer.body, query);
      }
      assert.deepEqual(await state(), untouched);
    });

  it('gets nowhere in saved reports and parameters either', async () => {
    await api.create('queryreport', { name: 'x', short_name: 'x', sql: 'select {{ a }}' });
    for (const text of ATTACKS.filter((each) => each.length < 1000 && each.isWellFormed())) {
      const answer = await api.call('POST', '/rest/v1/report/run/x/', { a: text });
      assert.deepEqual(answer.json(), [[text]]);
    }
    const writing = { name: 'y', short_name: 'y', sql: 'with gone as (delete from core_user returning id) select * from gone' };
    const refused = await api.call('POST', '/rest/v1/queryreport/', writing);
    assert.equal(refused.statusCode, 400);
    // One that came into the table some other way.
    await api.pool.query('insert into reports_queryreport (name, short_name, sql) values ($1, $2, $3)', Object.values(writing));
    const answer = await api.call('POST', '/rest/v1/report/run/y/');
    assert.equal(answer.statusCode, 400);
    assert.match(answer.json().errors.report[0], /writes and locks nothing/);
    assert.equal((await api.pool.query('select from core_user')).rowCount, 1);
  });

  it('finds no akid by which one could act as somebody', async () => {
    const theirs = akid(SECRET, null, 1);
    const acted = await api.call('POST', '/rest/v1/action/', { page: 'p', akid: theirs }, { authorization: '' });
    assert.equal(acted.statusCode, 201);
    const group = await api.create('authgroup', { name: 'analysts', grants: ['report:sql'] });
    const login = { username: 'analyst', password: 'analyst-password' };
    await api.create('authuser', { ...login, groups: [group] });
    const ask = (query: string) => api.call('POST', '/rest/v1/report/run/sql/', { query }, { authorization: basic(login) });
    const names = await ask(`select table_name from information_schema.tables where table_schema = 'report'`);
    const tables = names.json().flat() as string[];
    assert.ok(tables.length > 80);
    for (const table of tables) {
      const rows = await ask(`select * from ${table} limit 500`);
      assert.equal(rows.statusCode, 200, rows.body);
      assert.ok(!rows.body.includes(theirs), `${table} shows ${theirs}`);
    }
  });
});
