import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from '../../core/once.ts';
import { sqlOf } from '../../db/orm-sql.ts';
import { createPool } from '../../db/pool.ts';
import type { Sql } from '../../db/sql.ts';
import { inOneTransaction } from '../../db/transaction.ts';
import { commitLimits, isCommitUncertain } from '../../db/uncertain-commit.ts';
import type { ReplicatedPostgres } from '../../embedded/replicated-postgres.ts';
import { connectOrm } from '../../entities/orm.ts';
import type { ApiClient } from '../../tools/demo/client.ts';
import { readyMailing, replicatedPlatform } from '../support/replicated-platform.ts';

const PEOPLE = 2000;
const COMMIT_SECONDS = 3;
const LEASE_SECONDS = 3;

interface Progress {
  finished: boolean;
  status: string;
  progress: number;
  uncertain: number;
  pause: { reason: string } | null;
}

describe('a database with a synchronous standby', () => {
  let mails: Map<string, number>;
  let postgres: ReplicatedPostgres;
  let url: string;
  let api: ApiClient;

  before(async () => {
    const settings = { COMMIT_SECONDS: String(COMMIT_SECONDS), SEND_LEASE_SECONDS: String(LEASE_SECONDS) };
    ({ postgres, api, url, mails } = await replicatedPlatform(PEOPLE, settings));
  });

  const ready = async () => {
    const answer = await fetch(`${url}/health/ready`);
    return { ...((await answer.json()) as { database: string }), code: answer.status };
  };
  const until = async (state: string) => {
    while ((await ready()).database !== state) await sleep(100);
  };
  /** What a change is refused with, and after how many seconds. */
  const refusal = async (name: string) => {
    const began = performance.now();
    const words = await api.write('POST', '/rest/v1/list/', { name }).then(() => 'made', String);
    return { words, seconds: (performance.now() - began) / 1000 };
  };

  it('that goes: a change is answered in time, as one that may have been made; then none is begun, and the API is not ready', async () => {
    assert.equal((await ready()).code, 200);
    await postgres.stopStandby();
    const first = await refusal('First');
    assert.match(first.words, /503 .*may have been made/);
    assert.ok(first.seconds < COMMIT_SECONDS + 10, `answered after ${first.seconds} s`);
    const second = await refusal('Second');
    assert.match(second.words, /503 .*nothing was changed/);
    assert.ok(second.seconds < COMMIT_SECONDS, `answered after ${second.seconds} s`);
    await until('does not confirm changes');
    assert.equal((await ready()).code, 503);
    const { objects } = await api.read<{ objects: { name: string }[] }>('/rest/v1/list/');
    assert.deepEqual(objects.map(({ name }) => name).sort(), ['Everybody', 'First']);

    await postgres.startStandby();
    await until('ok');
    assert.equal((await refusal('Third')).words, 'made');
  });

  it('that goes: who is answered with what another one has made, which is not confirmed, is not told that it is made, whichever API they ask', async () => {
    const limits = { COMMIT_SECONDS: 1 };
    const pool = createPool(postgres.url, 1, commitLimits(limits));
    const orm = await connectOrm({ DATABASE_URL: postgres.url, DATABASE_POOL: 1, ...limits });
    const press = { idempotencyKey: 'pressed twice', accountId: 1, route: '/rest/v1/list/', body: {} };
    const make = (sql: Sql) =>
      once(sql, press, async () => (await sql<{ id: number }>(`insert into core_list (name) values ('Pressed') returning id`))[0]!.id);
    const ways = [() => inOneTransaction(pool, make), () => orm.em.fork().transactional((em) => make(sqlOf(em)))];
    try {
      await postgres.stopStandby();
      try {
        for (const way of [...ways, ...ways]) await assert.rejects(way, isCommitUncertain);
      } finally {
        await postgres.startStandby();
      }
      const [first, second] = [await ways[0]!(), await ways[1]!()];
      assert.equal(first, second);
    } finally {
      await pool.end();
      await orm.close(true);
    }
    await until('ok');
  });

  it('that goes in the middle of a send: the send pauses, says why, and goes on, each once', async () => {
    const path = await readyMailing(api, { mails_per_second: 400 });
    await api.write('POST', `${path}queue/`);
    while (mails.size < PEOPLE / 4) await sleep(10);
    await postgres.stopStandby();
    const progress = () => api.read<Progress>(`${path}progress/`);
    let held = await progress();
    while (!held.pause) held = await progress();
    assert.match(held.pause.reason, /^the database has not confirmed a change for \d+ s/);
    const sent = mails.size;
    // Longer than leases, and than any statement waits for its answer.
    await sleep(3 * LEASE_SECONDS * 1000);
    assert.ok(mails.size - sent <= 0, `${mails.size - sent} mailed meanwhile`);
    const waiting = await postgres.asSuperuser(`select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep'`);
    assert.ok(waiting.rows[0].n <= 6, `${waiting.rows[0].n} connections wait for the standby`);
    await postgres.startStandby();
    const done = await api.poll<Progress>(`${path}progress/`, 100);
    assert.deepEqual([done.status, done.progress + done.uncertain, done.pause], ['completed', PEOPLE, null]);
    assert.equal(done.uncertain, 0);
    assert.equal(mails.size, PEOPLE);
    assert.ok([...mails.values()].every((count) => count === 1));
  });

  it('that goes where notices are switched off for the login: the change may have been made all the same', async () => {
    const { pathname, username } = new URL(postgres.url);
    const quiet = (how: string) => postgres.asSuperuser(`alter role ${username} in database ${pathname.slice(1)} ${how}`);
    const connectAnew = () =>
      postgres.asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and pid <> pg_backend_pid()`, [
        username,
      ]);
    await quiet(`set client_min_messages = 'error'`);
    await connectAnew();
    await until('ok');
    await postgres.stopStandby();
    assert.match((await refusal('Quiet')).words, /503 .*may have been made/);
    await postgres.startStandby();
    await quiet('reset client_min_messages');
    await connectAnew();
    await until('ok');
  });

  it('whose connection is lost while a change waits for it: the change may have been made', async () => {
    await postgres.stopStandby();
    const asked = refusal('Fourth');
    for (let ended = 0; ended === 0; await sleep(20)) {
      const { rowCount } = await postgres.asSuperuser(
        `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and backend_type = 'client backend'`,
      );
      ended = rowCount ?? 0;
    }
    assert.match((await asked).words, /503 .*may have been made/);
    await postgres.startStandby();
    await until('ok');
    const { objects } = await api.read<{ objects: { name: string }[] }>('/rest/v1/list/?name=Fourth');
    assert.equal(objects.length, 1);
  });
});
