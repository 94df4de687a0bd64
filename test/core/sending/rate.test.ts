import { ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { drawPace } from '../../../core/sending/pace.ts';
import { newConnection } from '../../../db/driver.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';

const LANES = 64;

/** What is not drawn within this time is lost (core/sending/pace.ts). */
const KEPT_SECONDS = 0.5;

/** The pool, noting when draws were made, in seconds of the database's clock: how long their answers take on a busy machine says nothing of that. */
function noting(pool: pg.Pool, times: number[]): pg.Pool {
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    const answer = await pool.query(text.replace('granted,', 'extract(epoch from clock_timestamp())::float8 as at, granted,'), values);
    times.push(answer.rows[0].at);
    return answer;
  };
  return { query } as unknown as pg.Pool;
}

/**
 * What so many lanes draw together in some seconds, beyond what the rate allows them, in percent; the same by the time up to which the bucket says that all is drawn, and how
 * far that is behind the last draw, in seconds; what they missed because nobody asked, in percent; and a quick one of their draws, in milliseconds.
 */
async function drawTogether(pool: pg.Pool, key: string, rate: number, seconds: number, lanes = LANES) {
  const [times, tookMs]: [number[], number[]] = [[], []];
  const noted = noting(pool, times);
  // The first draw takes what lies ready, and opens a connection. What is allowed from then on counts from before it, should it be kept waiting once it is made.
  const { rows } = await pool.query('select extract(epoch from clock_timestamp())::float8 as at');
  times.push(rows[0].at);
  await drawPace(noted, key, rate, 1_000_000);
  const from = await drawnUntil(pool, key);
  const began = performance.now();
  const lane = async () => {
    let drawn = 0;
    while (performance.now() - began < seconds * 1000) {
      const asked = performance.now();
      const { granted } = await drawPace(noted, key, rate, Math.max(100, rate));
      tookMs.push(performance.now() - asked);
      drawn += granted;
      await sleep(20);
    }
    return drawn;
  };
  const drawn = (await Promise.all(Array.from({ length: lanes }, lane))).reduce((sum, each) => sum + each, 0);
  times.sort((a, b) => a - b);
  const passed = times.at(-1)! - times[0]!;
  const until = await drawnUntil(pool, key);
  const silent = times.reduce((sum, time, index) => sum + Math.max(0, time - (times[index - 1] ?? time) - KEPT_SECONDS), 0);
  tookMs.sort((a, b) => a - b);
  return {
    percent: 100 * (drawn / (rate * passed) - 1),
    // A process that has to wait for its turn between the draw and the note of it has drawn earlier than it says.
    own: 100 * (drawn / (rate * (until - from)) - 1),
    behind: times.at(-1)! - until,
    missed: (100 * silent) / passed,
    quickMs: tookMs[Math.floor(tookMs.length / 10)]!,
    draws: tookMs.length,
  };
}

async function drawnUntil(pool: pg.Pool, key: string): Promise<number> {
  const { rows } = await pool.query('select paid_until from send_pace where key = $1 order by slot desc limit 1', [key]);
  return rows[0].paid_until;
}

describe('a rate that many lanes share', () => {
  let url: string;
  let pool: pg.Pool;

  before(async () => {
    url = await createDatabase();
    pool = createPool(url, LANES);
  });
  after(() => pool.end());

  for (const rate of [300, 3000, 20_000]) {
    it(`is never exceeded by ${LANES} lanes at ${rate} mails a second, nor missed by more than a hundredth`, async () => {
      const seconds = 3;
      // Where the machine left nobody time to ask, what was missed says nothing of the rate: then it is looked at again.
      for (let tries = 1; ; tries++) {
        const { percent, own, behind, missed, draws } = await drawTogether(pool, `of ${rate}, ${tries}`, rate, seconds);
        const figures = `${percent.toFixed(2)} % with ${draws} draws, ${missed.toFixed(2)} % missed, ${own.toFixed(2)} % by its own time, ${behind.toFixed(2)} s behind`;
        // A part of a mail at the begin and one at the end come out as whole ones.
        ok(percent < 0.1 + 200 / (rate * seconds), figures);
        if (missed > 0 && tries < 5) continue;
        ok(own > -1 - missed && behind < KEPT_SECONDS, figures);
        return;
      }
    });
  }

  it('is drawn from as fast under an old snapshot', async () => {
    // By one lane: what a draw costs, and not how long it waits for others.
    const { quickMs: before } = await drawTogether(pool, 'before', 3000, 2, 1);
    const old = newConnection(url);
    await old.connect();
    try {
      await old.query('begin isolation level repeatable read');
      await old.query('select count(*) from send_pace');
      const { percent } = await drawTogether(pool, 'under', 3000, 8);
      const { quickMs } = await drawTogether(pool, 'under', 3000, 2, 1);
      ok(quickMs < 3 * before + 0.5, `${quickMs.toFixed(2)} ms under an old snapshot, ${before.toFixed(2)} before it`);
      ok(percent < 0.1, `${percent} %`);
    } finally {
      await old.end();
    }
  });
});
