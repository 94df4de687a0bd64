import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareStatement } from '../../../core/reports/prepare.ts';
import { bind } from '../../../core/reports/reading/read.ts';
import { ReaderThread } from '../../../core/reports/reading/reader-thread.ts';
import { UnavailableError } from '../../../domain/errors.ts';
import { MissingParameters } from '../../../domain/reports/placeholders.ts';
import { StatementError } from '../../../domain/reports/statement-error.ts';
import type { Dialect } from '../../../domain/words.ts';
import { everyTurnMs, longestTurnMs } from '../../support/processor-time.ts';

/** One thing repeated, as long as a statement may be. */
const SHAPES: Record<string, [begins: string, repeated: string, between: string, ends?: string]> = {
  columns: ['select ', 'a.first_name', ', ', ' from core_user a'],
  conditions: ['select id from core_user where ', "a='x'", ' or '],
  patterns: ['select 1 from core_user where ', "a like 'x'", ' or '],
  'a list': ['select id from core_user where id in (', '1', ',', ')'],
  choices: ['select case ', 'when a then 1', ' ', ' end from core_user'],
  functions: ['select ', 'coalesce(a,1,b)', ',', ' from core_user'],
  'columns of no group': ['select a, ', 'b', ',', ' from core_user group by a'],
  sums: ['select ', '1', '+'],
  joins: ['select 1 from core_user u ', 'join core_user using (id)', ' '],
  places: ['select id from core_user where id in (', '{{ id }}', ', ', ')'],
};
const LENGTHS: Record<Dialect, number> = { mysql: 15_000, postgresql: 100_000 };
/** Milliseconds of the processor. */
const MOST = 100;
/** What a statement costs it costs each time; memory collected meanwhile, only once. */
const TRIES = 3;

const written = (shape: string, length: number): string => {
  const [begins, repeated, between, ends = ''] = SHAPES[shape]!;
  const times = Math.floor((length - begins.length - ends.length) / (repeated.length + between.length));
  return begins + Array(times).fill(repeated).join(between) + ends;
};

describe('reading a statement', () => {
  for (const dialect of ['mysql', 'postgresql'] as const) {
    it(`holds nobody up, however long it is: ${dialect}`, async () => {
      await prepareStatement({ sql: written('sums', 1_000), dialect }).catch(() => {});
      const long: string[] = [];
      for (const shape of Object.keys(SHAPES)) {
        for (const length of [700, LENGTHS[dialect] / 4, LENGTHS[dialect]]) {
          const sql = written(shape, length);
          const ms = await everyTurnMs(MOST, () =>
            prepareStatement({ sql, dialect }, { id: 1 }).catch((error) => assert.ok(error instanceof StatementError, String(error))),
          );
          if (ms >= MOST) long.push(`${shape}, ${length} characters: ${ms} ms`);
        }
      }
      assert.deepEqual(long, []);
    });
  }

  it('holds nobody up, however much is put into it', async () => {
    const members = Array.from({ length: 12_000 }, (_, n) => n);
    for (const dialect of ['mysql', 'postgresql'] as const) {
      for (const [sql, a] of [
        ['select 1 from core_user where id in ({{ a }})', members],
        [`select 1 from core_user where ${Array(50).fill('id in ({a})').join(' or ')}`, members.slice(0, 150)],
        [`select '${'{a}'.repeat(250)}'`, 'x'],
      ] as const) {
        const ms = await everyTurnMs(MOST / 2, () =>
          prepareStatement({ sql, dialect }, { a: a as never }).catch((error) => assert.ok(error instanceof StatementError, String(error))),
        );
        assert.ok(ms < MOST / 2, `${dialect}, ${sql.slice(0, 60)}: ${Math.round(ms)} ms`);
      }
    }
  });

  it('holds nobody up with a statement as large as a body may be', async () => {
    for (const dialect of ['mysql', 'postgresql'] as const) {
      for (const sql of ['{ '.repeat(4_900_000), '{a}'.repeat(3_200_000), '"a'.repeat(4_900_000)]) {
        let [longest, all] = [Infinity, Infinity];
        for (let tries = 0; tries < TRIES && (longest > MOST || all > 1_000); tries++) {
          const began = performance.now();
          const turn = await longestTurnMs(() =>
            assert.rejects(prepareStatement({ sql, dialect }, { a: 'x' }), /statement is longer than 1\d+ characters/),
          );
          longest = Math.min(longest, turn);
          all = Math.min(all, performance.now() - began);
        }
        assert.ok(longest < MOST, `${dialect}, ${sql.slice(0, 9)}: ${Math.round(longest)} ms`);
        // Everybody's long statements wait for it.
        assert.ok(all < 1_000, `${dialect}, ${sql.slice(0, 9)}: ${Math.round(all)} ms in all`);
      }
    }
  });

  it('gives the same beside the event loop as on it, and the same errors', async () => {
    const pad = `/*${'x'.repeat(1_000)}*/`;
    for (const [sql, parameters] of [
      ['select id, {{ a }} from core_user where id in ({{ ids }})', { a: 'x', ids: [1, 2] }],
      ['select `Name` from core_user limit 1, 2', {}],
      ['select 1 from', {}],
      ['select {{ missing }}, {other}', {}],
      ['delete from core_user', {}],
    ] as const) {
      const outcome = (made: Promise<unknown>) =>
        made.catch((error) => [error.constructor, error.message.replace(/column \d+/, ''), error.names]);
      for (const dialect of ['mysql', 'postgresql'] as const) {
        assert.deepEqual(
          await outcome(prepareStatement({ sql: sql + pad, dialect }, parameters as never)),
          await outcome(bind({ sql: sql + pad, dialect }, parameters as never)),
          sql,
        );
      }
    }
    await assert.rejects(prepareStatement({ sql: `select {{ gone }} ${pad}`, dialect: 'mysql' }), MissingParameters);
  });

  it('ends what takes too long, and goes on with the next', async () => {
    const impatient = new ReaderThread(1);
    const long = written('conditions', 100_000);
    const first = impatient.run('bind', [{ sql: long, dialect: 'postgresql' }, {}], 1);
    await assert.rejects(first, /takes too long to read/);
    const patient = new ReaderThread(30_000);
    const both = [1, 2].map(() => patient.run<{ text: string }>('bind', [{ sql: 'select 1', dialect: 'postgresql' }, {}], 1));
    assert.deepEqual(
      (await Promise.all(both)).map(({ text }) => text),
      ['select 1', 'select 1'],
    );
  });

  it('gives its memory back when there is nothing to read, and begins anew', async () => {
    const threads = () => readdirSync('/proc/self/task').length;
    const thread = new ReaderThread(30_000, 20);
    const read = () => thread.run<{ text: string }>('bind', [{ sql: 'select 1', dialect: 'postgresql' }, {}], 1);
    const before = threads();
    assert.equal((await read()).text, 'select 1');
    for (let tries = 0; threads() > before && tries < 500; tries++) await sleep(20);
    // Those of the tests before may be gone by now, too.
    assert.ok(threads() <= before, `${threads()} threads, ${before} before`);
    assert.equal((await read()).text, 'select 1');
  });

  it('reads what comes after statements that are nested more deeply than the grammar can bear', async () => {
    const deep = `select 1${'+1'.repeat(49_900)}`;
    const good = `select id from core_user /*${'x'.repeat(1_000)}*/`;
    for (let times = 0; times < 10; times++) {
      await assert.rejects(prepareStatement({ sql: deep, dialect: 'postgresql' }), /nested too deeply/);
      assert.equal((await prepareStatement({ sql: good, dialect: 'postgresql' })).text, good);
    }
  });

  it('tells callers to come back when too many wait', async () => {
    const thread = new ReaderThread(30_000);
    const all = await Promise.allSettled(
      Array.from({ length: 70 }, async () => thread.run('bind', [{ sql: 'select 1', dialect: 'postgresql' }, {}], 1)),
    );
    const refused = all.filter((each) => each.status === 'rejected');
    assert.equal(refused.length, 6);
    assert.ok(refused.every(({ reason }) => reason instanceof UnavailableError));
  });

  it('reads of each account in turn, and refuses the one that has filled the line', async () => {
    const thread = new ReaderThread(30_000);
    const order: number[] = [];
    const refused: number[] = [];
    const ask = (account: number) =>
      (async () => thread.run('bind', [{ sql: 'select 1', dialect: 'postgresql' }, {}], account))().then(
        () => order.push(account),
        (error) => refused.push(error instanceof UnavailableError ? account : -1),
      );
    const all = [...Array.from({ length: 64 }, () => ask(1)), ask(2), ask(3), ask(3), ask(1)];
    await Promise.all(all);
    assert.deepEqual(refused.sort(), [1, 1, 1, 1]);
    assert.deepEqual([order.length, order.slice(0, 6)], [64, [1, 1, 2, 3, 1, 3]]);
  });

  it('refuses a parameter where it would sort or group by nothing, naming it', async () => {
    for (const dialect of ['mysql', 'postgresql'] as const) {
      for (const [sql, message] of [
        ['select id from core_user order by {{ column }}', /ORDER BY \{\{ column \}\} does nothing/],
        ["select id from core_user order by '{column}' desc, id", /ORDER BY \{\{ column \}\}/],
        ["select id from core_user order by '{{ column }} desc'", /ORDER BY \{\{ column \}\}/],
        ['select count(*) from core_user group by {{ column }}', /GROUP BY \{\{ column \}\}/],
        ['select 1 union (select id from core_user order by {{ column }} limit 1)', /ORDER BY/],
        ['select row_number() over (order by {{ column }}) from core_user', /ORDER BY/],
      ] as const)
        await assert.rejects(prepareStatement({ sql, dialect }, { column: 'email' }), message, sql);
      for (const sql of [
        'select id from core_user order by id = {{ column }}, id limit {{ column }}',
        "select id from core_user order by case when {{ column }} = 'x' then email else state end",
      ])
        await prepareStatement({ sql, dialect }, { column: '1' });
    }
  });
});
