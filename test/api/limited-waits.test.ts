import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { answerTo } from '../../api/errors.ts';
import { newConnection } from '../../db/driver.ts';
import { createPool } from '../../db/pool.ts';
import { akid } from '../../domain/akid.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { idIn } from '../support/mailings.ts';
import { databaseIn, endSessions } from '../support/sessions.ts';

// What an operator sets for login or database.
describe('a change that waits for what somebody else holds', () => {
  let api: TestApi;
  let uri: string;
  before(async () => {
    api = await startApi();
    uri = await api.create('user', { email: 'ann@example.org' });
  });
  after(() => api.close());

  for (const limit of ['statement_timeout', 'lock_timeout', 'transaction_timeout'])
    it(`is a 503 where the database ends the wait by its ${limit}, and nothing was changed`, async () => {
      const other = newConnection(api.databaseUrl);
      await other.connect();
      const { rows } = await other.query('select current_database() as name');
      try {
        await other.query(`alter database ${rows[0].name} set ${limit} = '300ms'`);
        await endSessions(other, databaseIn(api.databaseUrl));
        await other.query('begin');
        await other.query(`update core_user set city = 'Springfield'`);
        const answer = await api.call('PATCH', uri, { last_name: 'Smith' });
        assert.equal(answer.statusCode, 503, answer.body);
        assert.match(answer.body, /did not do this in time; nothing was changed/);
        // For people it is a page.
        const link = `/unsubscribe/?akid=${akid(api.env.SECRET_KEY, null, idIn(uri))}`;
        const page = await api.call('POST', link, '', { authorization: '' });
        assert.deepEqual([page.statusCode, page.headers['content-type']], [503, 'text/html; charset=utf-8'], page.body);
        assert.match(page.body, /please use it again in a few minutes/);
        assert.ok(page.headers['retry-after']);
        await other.query('rollback');
        // By who has no such limit.
        assert.deepEqual((await other.query('select last_name from core_user')).rows, [{ last_name: '' }]);
      } finally {
        await other.query(`alter database ${rows[0].name} reset ${limit}`);
        await other.end();
      }
    });

  it('is a 503 that says so where all connections of the process are busy for as long as one is waited for', async () => {
    const pool = createPool(api.databaseUrl, 1);
    const held = await pool.connect();
    try {
      const answer = answerTo(await pool.query('select').catch((error: unknown) => error), undefined, '');
      assert.equal(answer?.status, 503);
      assert.match(JSON.stringify(answer.body), /All connections of this process to the database are busy; nothing was changed/);
    } finally {
      held.release();
      await pool.end();
    }
  });

  it('is a 503 that says so where the database has no connection left', async () => {
    const other = newConnection(api.databaseUrl);
    await other.connect();
    const { rows } = await other.query('select current_database() as name');
    try {
      await other.query(`alter database ${rows[0].name} connection limit 0`);
      await endSessions(other, databaseIn(api.databaseUrl));
      // Who still got one that was just ended is told that it was lost.
      const answers = [];
      do {
        answers.push(await api.call('PATCH', uri, { last_name: 'Jones' }));
        assert.equal(answers.at(-1)!.statusCode, 503, answers.at(-1)!.body);
      } while (answers.length < 20 && !/The database has no connection left, .*; nothing was changed/.test(answers.at(-1)!.body));
      assert.match(answers.at(-1)!.body, /The database has no connection left, .*; nothing was changed/);
    } finally {
      await other.query(`alter database ${rows[0].name} connection limit -1`);
      await other.end();
    }
    assert.notEqual((await api.read(uri)).last_name, 'Jones');
  });

  for (const [code, says] of [
    ['EMFILE', /as many files and connections open as it may; nothing was changed/],
    ['ENFILE', /as many files and connections open as it may; nothing was changed/],
    ['EADDRNOTAVAIL', /The database cannot be reached; nothing was changed/],
    ['EPERM', /The database cannot be reached; nothing was changed/],
    ['ENETUNREACH', /The database cannot be reached; nothing was changed/],
  ] as const)
    it(`is a 503 that says so where this machine makes no connection (${code})`, async () => {
      const other = newConnection(api.databaseUrl);
      await other.connect();
      const { connect } = Socket.prototype;
      Socket.prototype.connect = function (this: Socket) {
        process.nextTick(() => this.destroy(Object.assign(new Error(`connect ${code} 127.0.0.1:5432`), { code, syscall: 'connect' })));
        return this;
      } as typeof connect;
      try {
        await endSessions(other, databaseIn(api.databaseUrl));
        const answers = [];
        do {
          answers.push(await api.call('PATCH', uri, { last_name: code }));
          assert.equal(answers.at(-1)!.statusCode, 503, answers.at(-1)!.body);
        } while (answers.length < 20 && !says.test(answers.at(-1)!.body));
        assert.match(answers.at(-1)!.body, says);
      } finally {
        Socket.prototype.connect = connect;
        await other.end();
      }
      assert.notEqual((await api.read(uri)).last_name, code);
    });
});
