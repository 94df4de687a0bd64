import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readEnv } from '../../config/env.ts';
import { createPool } from '../../db/pool.ts';
import { akid } from '../../domain/akid.ts';
import type { Child } from '../../embedded/child.ts';
import { freePort } from '../../embedded/ports.ts';
import { startApiProcess } from '../../embedded/programs.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { seedMailing } from '../support/sending.ts';

const PEOPLE = 200;
const LANES = 16;

describe('an API process that ends while people open their mail', () => {
  let pool: pg.Pool;
  let env: NodeJS.ProcessEnv;
  let url: string;
  let mailing: number;
  const logFolder = join(dataFolder(), 'logs');

  before(async () => {
    const databaseUrl = await createDatabase();
    pool = createPool(databaseUrl, 2);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PORT: String(port),
      BASE_URL: url,
      LOG_LEVEL: 'warn',
    };
    mailing = await seedMailing(pool, PEOPLE);
    await pool.query(`insert into core_mailinglink (mailing_id, number, url) values ($1, 0, 'https://a.example/')`, [mailing]);
  });
  after(() => pool.end());

  /** A crowd that opens and clicks until the process is gone. @returns when each answer came */
  function crowd(): { answers: number[]; over: Promise<unknown> } {
    const { SECRET_KEY } = readEnv({});
    const answers: number[] = [];
    const lane = async (n: number) => {
      for (let user = n; ; user = (user % PEOPLE) + 1) {
        const mine = akid(SECRET_KEY, mailing, user);
        const answer = await fetch(`${url}/${user % 2 ? `open/${mine}.gif` : `click/${mine}/0`}`, { redirect: 'manual' }).catch(() => null);
        if (!answer) return;
        if (answer.status === 200 || answer.status === 302) answers.push(performance.now());
        else if (answer.status !== 503) assert.fail(`answered ${answer.status}`);
        await answer.arrayBuffer().catch(() => null);
      }
    };
    return { answers, over: Promise.all(Array.from({ length: LANES }, (_, n) => lane(n + 1))) };
  }

  async function whileOpened(end: (child: Child) => void): Promise<{ answers: number[]; ended: number; how: string; written: number }> {
    await pool.query('truncate core_open, core_click');
    const child = await startApiProcess({ env, logFolder }, url);
    const { answers, over } = crowd();
    while (answers.length < 1000) await sleep(20);
    const ended = performance.now();
    end(child);
    const how = await child.exited;
    await over;
    const { rows } = await pool.query('select (select count(*) from core_open)::int + (select count(*) from core_click)::int as n');
    return { answers, ended, how, written: rows[0].n };
  }

  it('has written all that it answered when it is told to end', async () => {
    const { answers, how, written } = await whileOpened((child) => process.kill(child.pid, 'SIGTERM'));
    assert.equal(how, 'code 0');
    assert.ok(written >= answers.length, `${answers.length} answered, ${written} written`);
    assert.ok(written <= answers.length + LANES, 'nothing is written twice');
  });

  it('has lost at most the last second when it is killed', async () => {
    const { answers, ended, how, written } = await whileOpened((child) => process.kill(child.pid, 'SIGKILL'));
    assert.equal(how, 'signal SIGKILL');
    const safe = answers.filter((at) => at < ended - 1000).length;
    assert.ok(written >= safe, `${safe} were answered a second before, ${written} written`);
  });
});
