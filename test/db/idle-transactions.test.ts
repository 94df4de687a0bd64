import { deepEqual, ok, rejects } from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { inAbortableTransaction } from '../../db/abortable-transaction.ts';
import type { Pool } from '../../db/driver.ts';
import { WITHOUT_LIMITS } from '../../db/no-limits.ts';
import { sqlOf } from '../../db/orm-sql.ts';
import { createPool } from '../../db/pool.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { inOneTransaction, inPreparedTransaction } from '../../db/transaction.ts';
import { commitLimits, isCommitUncertain } from '../../db/uncertain-commit.ts';
import { connectOrm, type Orm } from '../../entities/orm.ts';
import { createDatabase } from '../support/database.ts';

describe('a transaction that stands still', () => {
  let pool: Pool;
  let orm: Orm;
  before(async () => {
    const url = await createDatabase();
    pool = createPool(url, 1);
    orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 1 });
  });
  after(async () => {
    await pool.end();
    await orm.close(true);
  });

  const limit = async (sql: Sql) =>
    (await sql<{ it: string }>(`select current_setting('idle_in_transaction_session_timeout') as it`))[0]!.it;

  for (const [who, begin] of [
    ['the pool', () => inOneTransaction(pool, limit)],
    ['the pool, prepared', () => inPreparedTransaction(pool, limit)],
    ['what can be called off', () => inAbortableTransaction(pool, undefined, (client) => limit(sqlOn(client)))],
    ['the ORM', () => orm.em.fork().transactional((em) => limit(sqlOf(em)))],
  ] as const)
    it(`is ended by the server, whoever began it: ${who}`, async () => {
      deepEqual([await begin(), await limit(sqlOn(pool))], ['20s', '0']);
    });
});

describe('what waits for somebody else, of a process in which somebody waits for each answer', () => {
  let url: string;
  let other: Pool;
  let pool: Pool;
  let orm: Orm;
  before(async () => {
    url = await createDatabase();
    other = createPool(url, 1);
    pool = createPool(url, 1, commitLimits({ COMMIT_SECONDS: 1 }));
    orm = await connectOrm({ DATABASE_URL: url, DATABASE_POOL: 1, COMMIT_SECONDS: 1 });
  });
  after(async () => {
    await orm.close(true);
    await Promise.all([pool.end(), other.end()]);
  });

  const asked: [string, () => Promise<unknown>][] = [
    ['in a transaction', () => inOneTransaction(pool, (sql) => sql('select from core_page'))],
    ['in one of the ORM', () => orm.em.fork().transactional((em) => sqlOf(em)('select from core_page'))],
    ['by itself', () => pool.query('select from core_page')],
    ['by itself, of the ORM', () => sqlOf(orm.em.fork())('select from core_page')],
  ];
  for (const [how, ask] of asked)
    it(`is ended in time, and its connection is good: ${how}`, async () => {
      await inOneTransaction(other, async (sql) => {
        await sql('lock table core_page in access exclusive mode');
        const began = performance.now();
        await rejects(ask, (error: Error & { code?: string }) => /^(55P03|57014)$/.test(error.code ?? '') && !isCommitUncertain(error));
        ok(performance.now() - began < 5_000);
      });
      await ask();
    });

  it('goes by what the operator has set where that is less, and by no limit where none is meant', async () => {
    const limit = async (sql: Sql) => (await sql<{ it: string }>(`select current_setting('lock_timeout') as it`))[0]!.it;
    const limited = createPool(`${url}?options=-c%20lock_timeout%3D300ms`, 1, commitLimits({ COMMIT_SECONDS: 1 }));
    const generous = createPool(`${url}?options=-c%20lock_timeout%3D5min`, 1, commitLimits({ COMMIT_SECONDS: 1 }));
    const without = async (sql: Sql) => {
      await sql(WITHOUT_LIMITS);
      return limit(sql);
    };
    try {
      deepEqual(
        [
          await inOneTransaction(limited, limit),
          await inOneTransaction(generous, limit),
          await inOneTransaction(pool, limit),
          await inOneTransaction(other, limit),
          await inOneTransaction(pool, without),
          await limit(sqlOn(pool)),
        ],
        ['300ms', '1s', '1s', '0', '0', '0'],
      );
    } finally {
      await Promise.all([limited.end(), generous.end()]);
    }
  });

  it('is told so by a server that takes connections and never says a word, whoever asks', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await new Promise((listening) => server.on('listening', listening));
    const silent = Object.assign(new URL(url), { port: String((server.address() as { port: number }).port) }).href;
    const one = createPool(silent, 1);
    const another = await connectOrm({ DATABASE_URL: silent, DATABASE_POOL: 1 });
    const began = performance.now();
    try {
      // The second waits for the only connection of each.
      const both = [0, 1].flatMap(() => [one.query('select'), sqlOf(another.em.fork())('select')]);
      const answers = await Promise.allSettled(both);
      deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 'rejected'),
      );
      ok(performance.now() - began < 15_000);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
      await one.end();
      await another.close(true);
    }
  });
});
