import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once as event } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import { pageMaker } from '../../../api/donations/make-page.ts';
import { readDonation } from '../../../api/donations/push/donation-input.ts';
import { Registry } from '../../../api/resource/registry.ts';
import { elsewhere, resources } from '../../../api/resources.ts';
import { donate } from '../../../core/donations/push/donate.ts';
import { sqlOf } from '../../../db/orm-sql.ts';
import type { Sql } from '../../../db/sql.ts';
import { inPreparedTransaction } from '../../../db/transaction.ts';
import { ADMIN, basic, startApi, type TestApi } from '../../support/api.ts';
import { counted, donation } from '../../support/donations.ts';
import { atEnd } from '../../support/endings.ts';

/** A push that touches everything: a new page, list, candidates, fields, a profile. */
const everything = (n: number | string, importId: string | null = `import-${n}`) =>
  donation({
    donationpage: { name: `page-${n}`, title: 'Made by a push' },
    order: {
      donation_import_id: importId,
      recurring_id: `recurring-${n}`,
      orderdetails: [
        { candidate: { name: `Ann ${n}` }, amount: '1.00' },
        { candidate: { name: `Bob ${n}` }, amount: '2.00' },
      ],
    },
    user: { email: `donor-${n}@example.org`, fields: { color: 'red' }, lists: [{ name: 'Everyone' }] },
    action: { fields: { note: 'yes' } },
  });

describe('a donation push is done once or not at all', () => {
  let api: TestApi;
  let killer: pg.Client;
  before(async () => {
    api = await startApi();
    await api.pool.query(`insert into core_list (name) values ('Everyone')`);
    killer = new pg.Client({ connectionString: api.databaseUrl });
    await killer.connect();
  });
  after(async () => {
    await killer.end();
    await api.close();
  });

  const differences = async (before: Record<string, number>) => {
    const now = await counted(api);
    return Object.fromEntries(Object.entries(now).flatMap(([table, n]) => (n === before[table] ? [] : [[table, n - before[table]!]])));
  };
  const ONE = {
    core_user: 1,
    core_page: 1,
    core_action: 1,
    core_order: 1,
    core_orderdetail: 2,
    core_orderuserdetail: 1,
    core_orderrecurring: 1,
    core_transaction: 1,
    core_candidate: 2,
    core_subscription: 1,
    core_userfield: 1,
    core_actionfield: 1,
  };

  it('sent 50 times at once with one donation_import_id, it is one order and 49 times 409', async () => {
    const before = await counted(api);
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.call('POST', '/rest/v1/donationpush/', everything('parallel'))));
    const [done, ...more] = answers.filter(({ statusCode }) => statusCode === 200);
    assert.equal(more.length, 0);
    const location = `http://platform.test${done!.json().order.resource_uri}`;
    const taken = answers.filter(({ statusCode }) => statusCode === 409);
    assert.equal(taken.length, 49);
    assert.ok(taken.every(({ headers }) => headers.location === location));
    assert.deepEqual(await differences(before), ONE);
  });

  it('sent 50 times at once with one Idempotency-Key, it is one order and 50 times the same answer', async () => {
    const before = await counted(api);
    const body = everything('keyed', null);
    const headers = { 'idempotency-key': 'key-1' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.call('POST', '/rest/v1/donationpush/', body, headers)));
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
    assert.equal(new Set(answers.map((answer) => answer.body)).size, 1);
    assert.deepEqual(await differences(before), { ...ONE, push_key: 1 });

    const other = await api.call('POST', '/rest/v1/donationpush/', everything('another', null), headers);
    assert.equal(other.statusCode, 400);
    assert.ok(other.json().errors['Idempotency-Key']);
    assert.deepEqual(await differences(before), { ...ONE, push_key: 1 });
  });

  it('refused with an Idempotency-Key, it can be corrected under the same key', async () => {
    const headers = { 'idempotency-key': 'key-2' };
    const wrong = await api.call(
      'POST',
      '/rest/v1/donationpush/',
      donation({ user: { email: 'x@example.org', lists: [99_999] } }),
      headers,
    );
    assert.equal(wrong.statusCode, 400);
    const right = await api.call('POST', '/rest/v1/donationpush/', donation({ user: { email: 'x@example.org' } }), headers);
    assert.equal(right.statusCode, 200);
  });

  it('pushed at once by many for the same people, pages and candidates, all of them arrive', async () => {
    const before = await counted(api);
    const bodies = Array.from({ length: 40 }, (_, n) => {
      const names = n % 2 === 0 ? ['Shared A', 'Shared B'] : ['Shared B', 'Shared A'];
      return donation({
        donationpage: { name: `shared-${n % 2}` },
        user: { email: `shared${n % 3}@example.org`, lists: [{ name: 'Everyone' }], fields: { [`f${n % 4}`]: 'x' } },
        order: { orderdetails: names.map((name) => ({ candidate: { name }, amount: '1.00' })) },
      });
    });
    const answers = await Promise.all(bodies.map((body) => api.call('POST', '/rest/v1/donationpush/', body)));
    assert.deepEqual([...new Set(answers.map(({ statusCode, body }) => (statusCode === 200 ? 200 : body)))], [200]);
    const { core_order, core_user, core_page, core_candidate } = await differences(before);
    assert.deepEqual(
      { core_order, core_user, core_page, core_candidate },
      { core_order: 40, core_user: 3, core_page: 2, core_candidate: 2 },
    );
  });

  const context = () =>
    ({
      env: api.env,
      orm: api.orm,
      pool: api.pool,
      workflows: api.workflows,
      registry: new Registry(resources, api.orm, elsewhere),
    }) as never;
  type Work = (sql: Sql, em: EntityManager | null) => Promise<unknown>;
  const WAYS: Record<string, { body: object; run: (work: Work) => Promise<unknown>; makes: Partial<typeof ONE> }> = {
    'with a page that has to be made': {
      body: everything('cut'),
      run: (work) => api.orm.em.fork().transactional((em) => work(sqlOf(em), em)),
      makes: ONE,
    },
    'on a page that is there': {
      body: { ...everything('cut-again'), donationpage: { name: 'page-cut' } },
      run: (work) => inPreparedTransaction(api.pool, (sql) => work(sql, null)),
      makes: Object.fromEntries(Object.entries(ONE).filter(([table]) => table !== 'core_page')),
    },
  };
  for (const [way, { body, run, makes }] of Object.entries(WAYS)) {
    it(`cut off before any of its statements, it leaves nothing; after the last, everything: ${way}`, async () => {
      const before = await counted(api);
      for (let cut = 0; ; cut++) {
        let statements = 0;
        const attempt = run(async (sql, em) => {
          const watched: Sql = async (text, values) => {
            if (statements++ === cut) {
              const [self] = await sql<{ pid: number }>('select pg_backend_pid() as pid');
              await killer.query('select pg_terminate_backend($1)', [self!.pid]);
            }
            return sql(text, values);
          };
          const makePage = em && pageMaker(context(), {} as never, em, watched);
          await donate({ sql: watched, env: api.env, makePage }, readDonation(body));
        });
        const failed = await attempt.then(
          () => false,
          // Only what was cut may fail.
          (error) => statements > cut || Promise.reject(error),
        );
        if (!failed) {
          assert.ok(cut >= 10, `only ${cut} statements were cut`);
          assert.deepEqual(await differences(before), makes);
          return;
        }
        assert.deepEqual(await differences(before), {}, `cut before statement ${cut}`);
      }
    });
  }

  it('sent again and again to a process that is killed again and again, each is there once', async () => {
    const before = await counted(api);
    const waiting = new Set(Array.from({ length: 60 }, (_, n) => n));
    for (let round = 0; round < 3 && waiting.size > 0; round++) {
      const { child, url } = await startProcess(api.databaseUrl);
      const ended = event(child, 'exit');
      const sent = Promise.all(
        [...waiting].map(async (n) => {
          const answer = await fetch(`${url}/rest/v1/donationpush/`, {
            method: 'POST',
            headers: { authorization: basic(ADMIN), 'content-type': 'application/json' },
            body: JSON.stringify(everything(`kill-${n}`)),
          }).catch(() => null);
          if (answer?.status === 200 || answer?.status === 409) waiting.delete(n);
        }),
      );
      // Killed in the middle, but for the last time.
      if (round < 2) await sleep(250 + 100 * round).then(() => child.kill('SIGKILL'));
      await sent;
      if (round === 2) child.kill('SIGTERM');
      await ended;
    }
    assert.equal(waiting.size, 0);
    const all = Object.fromEntries(Object.entries(ONE).map(([table, n]) => [table, n * 60]));
    assert.deepEqual(await differences(before), all);
  });
});

/** The API as a process of its own, on a free port. */
async function startProcess(databaseUrl: string): Promise<{ child: ChildProcess; url: string }> {
  const root = join(import.meta.dirname, '../../..');
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    PORT: '0',
    ADMIN_PASSWORD: ADMIN.password,
    LOG_LEVEL: 'info',
  };
  const child = spawn(process.execPath, ['bin/api.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(() => child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    let seen = '';
    child.once('exit', () => reject(new Error(`The API did not start: ${seen}`)));
    child.stdout!.on('data', (chunk) => {
      seen = (seen + chunk).slice(-100_000);
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(seen);
      if (found) resolve(found[0]);
    });
  });
  return { child, url };
}
