import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AT_A_TIME } from '../../api/plugins/pipelined.ts';
import { MOST_WAITING } from '../../api/slots.ts';
import { basic, startApi, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/database.ts';
import { startStatementProxy } from '../support/statement-proxy.ts';

describe('what reads many rows', () => {
  let api: TestApi;
  let port: number;
  /** Takes as long as it is let: the names of groups come from a view that sleeps. */
  const SLOW = '/rest/v1/user/?groups__name=slow';
  const running = async () =>
    (
      await api.pool.query(`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and state = 'active' and query like '%core_usergroup%' and pid <> pg_backend_pid()`)
    ).rows[0].n;

  before(async () => {
    api = await startApi({ LONG_READ_TIMEOUT_MS: '3000', DATABASE_LONG_POOL: '8' });
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    port = (api.app.server.address() as AddressInfo).port;
    await api.create('user', { email: 'ann@example.org' });
    await api.pool.query(`
      alter table core_usergroup rename to usergroup_rows;
      create view core_usergroup as select id, (select name from pg_sleep(60)) as name, created_at, updated_at from usergroup_rows;
      insert into usergroup_rows (name) values ('slow');
      insert into core_user_groups (user_id, usergroup_id) select 1, id from usergroup_rows`);
  });
  after(() => api.close());

  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: basic() } });

  it('stops nobody who asks for one person, however many are slow', async () => {
    const timed = async () => {
      const times: number[] = [];
      for (let n = 0; n < 20; n++) {
        const began = performance.now();
        assert.equal((await get('/rest/v1/user/1/')).status, 200);
        assert.equal((await get('/rest/v1/user/?email=ann@example.org')).status, 200);
        times.push((performance.now() - began) / 2);
      }
      return times.sort((a, b) => a - b);
    };
    const calm = await timed();
    const slow = Array.from({ length: 10 }, () => get(SLOW).then(({ status }) => status));
    while ((await running()) === 0) await sleep(20);
    const times = await timed();
    // A slow one takes three seconds: who waits for one would wait as long. What a busy machine takes, it takes without them, too.
    assert.ok(
      times[10]! < 300 + 4 * calm[10]! && times.at(-1)! < 2000 + calm.at(-1)!,
      `${times.join(' ')}; without them ${calm.join(' ')}`,
    );
    assert.deepEqual([...new Set(await Promise.all(slow))], [503]);
  });

  it('is given up after a while, and says so', async () => {
    const answer = await get(SLOW);
    assert.equal(answer.status, 503);
    assert.deepEqual(await answer.json(), {
      errors: { service: ['Reading this took more than 3 seconds and was given up: ask for less, by a narrower filter.'] },
    });
    assert.equal(await running(), 0);
  });

  it('ends on the server when the caller hangs up', async () => {
    const patient = await startApi({ DATABASE_URL: api.databaseUrl, LONG_READ_TIMEOUT_MS: '60000' });
    const caller = connect(Number(new URL(await patient.app.listen({ port: 0, host: '127.0.0.1' })).port), '127.0.0.1');
    caller.write(`GET ${SLOW} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic()}\r\n\r\n`);
    while ((await running()) === 0) await sleep(20);
    caller.destroy();
    await once(caller, 'close');
    const gone = Date.now();
    while ((await running()) > 0) await sleep(20);
    assert.ok(Date.now() - gone < 30_000, `${Date.now() - gone} ms`);
    await patient.close();
  });

  it('is refused at once where hundreds wait already', async () => {
    const patient = await startApi({ DATABASE_URL: api.databaseUrl, LONG_READ_TIMEOUT_MS: '60000' });
    const url = new URL(await patient.app.listen({ port: 0, host: '127.0.0.1' }));
    const asked = `GET ${SLOW} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic()}\r\n\r\n`;
    const callers = Array.from({ length: Math.ceil(MOST_WAITING / AT_A_TIME) + 1 }, () => connect(Number(url.port), '127.0.0.1'));
    for (const caller of callers) caller.write(asked.repeat(AT_A_TIME));
    while ((await running()) < 2) await sleep(20);
    const began = Date.now();
    const answer = await fetch(`${url.origin}${SLOW}`, { headers: { authorization: basic() } });
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /Too many long reads are running/);
    // Who waits in line is told the same after ten seconds.
    assert.ok(Date.now() - began < 9_000, `${Date.now() - began} ms`);
    for (const caller of callers) caller.destroy();
    await patient.close();
  });

  it('is answered, when the database is lost at its very end', async () => {
    const elsewhere = await createDatabase();
    const proxy = await startStatementProxy(elsewhere, () => (_nth, { text }) => {
      if (!/^(commit|rollback)/i.test(text)) return 'pass';
      setImmediate(() => proxy.close());
      return 'deafen';
    });
    const lost = await startApi({ DATABASE_URL: Object.assign(new URL(elsewhere), { port: String(proxy.port) }).href });
    const answer = await lost.call('GET', '/rest/v1/user/');
    await lost.close();
    assert.deepEqual([answer.statusCode, answer.json().objects], [200, []]);
  });
});
