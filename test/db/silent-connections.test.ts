import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sqlOf } from '../../db/orm-sql.ts';
import { createPool } from '../../db/pool.ts';
import { giveUpSilent } from '../../db/silent-connections.ts';
import { connectOrm } from '../../entities/orm.ts';
import { createDatabase } from '../support/database.ts';

const LIMITS = { quietMs: 600, lookEveryMs: 100, awayMs: 800 };

describe('connections to a database that is gone without a word', () => {
  let databaseUrl: string;
  let killer: pg.Client;
  let proxy: Server;
  let through: string;
  /** Packets of these are lost, both ways. */
  let sockets: Socket[] = [];
  let isLost = false;

  before(async () => {
    databaseUrl = await createDatabase();
    killer = new pg.Client({ connectionString: databaseUrl });
    await killer.connect();
    const { hostname, port } = new URL(databaseUrl);
    proxy = createServer((near) => {
      sockets.push(near);
      near.on('error', () => {});
      if (isLost) return;
      const far = connect(Number(port), hostname);
      far.on('error', () => {});
      sockets.push(far);
      near.pipe(far, { end: false });
      far.pipe(near, { end: false });
      near.on('close', () => far.destroy());
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => proxy.on('listening', listening));
    through = Object.assign(new URL(databaseUrl), { port: String((proxy.address() as { port: number }).port) }).href;
  });
  after(async () => {
    await killer.end();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  beforeEach(() => {
    isLost = false;
  });

  const loseThose = () => {
    for (const socket of sockets) {
      socket.unpipe();
      socket.pause();
    }
    sockets = [];
  };
  const watched = (search: string, lockWithinMs?: number) => {
    // Each test’s own address: what is watched is watched by it.
    const url = `${through}?application_name=${search}`;
    const pool = new pg.Pool({ connectionString: url, max: 2, idleTimeoutMillis: 0 });
    pool.on('error', () => {});
    giveUpSilent(pool, url, lockWithinMs, LIMITS);
    return pool;
  };
  const taken = async (pool: pg.Pool) => (await pool.connect()).on('error', () => {});
  const pidOf = async (client: pg.PoolClient) => (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number;

  it('are given up where its address leads to another by now, which does not know them', async () => {
    const pool = watched('moved');
    const client = await taken(pool);
    const pid = await pidOf(client);
    loseThose();
    const waiting = client.query('select 1');
    await killer.query('select pg_terminate_backend($1)', [pid]);
    await rejects(waiting, /^Error: Connection terminated/);
    client.release(true);
    deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }]);
    await pool.end();
  });

  it('are given up where nobody can reach it for a while, and not before', async () => {
    const pool = watched('unreachable');
    const client = await taken(pool);
    await pidOf(client);
    isLost = true;
    loseThose();
    const began = performance.now();
    await rejects(client.query('select 1'), /^Error: Connection terminated/);
    ok(performance.now() - began >= LIMITS.quietMs + LIMITS.awayMs, `${performance.now() - began} ms`);
    client.release(true);
    await pool.end();
  });

  it('are kept where it only takes its time, or lets nobody more in', async () => {
    const pool = watched('slow');
    const [one, other] = [await taken(pool), await taken(pool)];
    const slow = [one.query('select pg_sleep(2)'), other.query('select pg_sleep(4)')];
    await sleep(1_500);
    await killer.query(`alter database "${new URL(databaseUrl).pathname.slice(1)}" connection limit 0`);
    for (const { rowCount } of await Promise.all(slow)) equal(rowCount, 1);
    await killer.query(`alter database "${new URL(databaseUrl).pathname.slice(1)}" connection limit -1`);
    for (const client of [one, other]) client.release();
    await pool.end();
  });

  it('wait once for what somebody else holds, also next in line, where PostgreSQL counts the wait for that place and for the row each by itself', async () => {
    const pool = watched('next-in-line', 2_000);
    const [first, next] = [await taken(pool), await taken(pool)];
    await killer.query(`insert into core_tag (name) values ('held')`);
    await killer.query('begin; select from core_tag for update');
    const ends = async (client: pg.PoolClient) => {
      const began = performance.now();
      await client.query(`begin; set local lock_timeout = '2s'`);
      await rejects(client.query('select from core_tag for update'), { code: /^(55P03|57014)$/ });
      await client.query('rollback');
      return performance.now() - began;
    };
    const ended = [ends(first)];
    await sleep(300);
    ended.push(ends(next));
    const times = await Promise.all(ended);
    await killer.query('rollback');
    ok(Math.max(...times) < 3_000, String(times));
    for (const client of [first, next]) client.release();
    await pool.end();
  });

  it('are watched in every pool of ours, and the ORM’s', async () => {
    const pool = createPool(through, 1);
    const orm = await connectOrm({ DATABASE_URL: through, DATABASE_POOL: 2 });
    const client = await taken(pool);
    const own = [await pidOf(client)];
    const lost = Promise.withResolvers<void>();
    const inTransaction = orm.em.fork().transactional(async (em) => {
      const [self] = await sqlOf(em)<{ pid: number }>('select pg_backend_pid() as pid');
      own.push(self!.pid);
      await lost.promise;
      await sqlOf(em)('select 1');
    });
    while (own.length < 2) await sleep(10);
    loseThose();
    lost.resolve();
    const waiting = [client.query('select 1'), inTransaction];
    for (const pid of own) await killer.query('select pg_terminate_backend($1)', [pid]);
    const began = performance.now();
    await Promise.all(waiting.map((each) => rejects(each, /Connection terminated/)));
    ok(performance.now() - began < 25_000);
    client.release(true);
    deepEqual(await sqlOf(orm.em.fork())('select 1 as one'), [{ one: 1 }]);
    await Promise.all([pool.end(), orm.close(true)]);
  });
});
