import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { PAGE_LIFETIME_MS } from '../../core/sending/audience.ts';
import { runSlice } from '../../core/sending/slice.ts';
import { createPool } from '../../db/pool.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, ScriptedRelay, seedMailing, sliceSetup } from '../support/sending.ts';

const PEOPLE = 1500;
/** Longer for a whole page than a page may be old, as with a busy database, or with much to look up for each person. */
const MS_FOR_EACH = (1.5 * PAGE_LIFETIME_MS) / PEOPLE;

describe('pages that take long to read', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = createPool(await createDatabase(), 10);
  });
  after(() => pool.end());

  it('become smaller, so that those on them can be sent to before they are too old', async () => {
    const mailing = await seedMailing(pool, PEOPLE, { shardSize: PEOPLE });
    const sizes: number[] = [];
    const slow = new Proxy(pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target);
        return async (query: { text?: string }, ...more: unknown[]) => {
          const answer = await (target.query as (...all: unknown[]) => Promise<pg.QueryResult>)(query, ...more);
          if (!query.text?.includes('page as materialized')) return answer;
          sizes.push(answer.rows.length);
          await sleep(answer.rows.length * MS_FOR_EACH);
          return answer;
        };
      },
    });
    const relay = new ScriptedRelay(32);
    const result = await runSlice(sliceSetup(slow, mailing, relay, { seconds: 30 }));
    equal(result.next, 'finished', `${result.accepted} were sent to, on pages of ${sizes}`);
    deepEqual(await ledgerStates(pool, mailing), { accepted: PEOPLE });
    equal(new Set(relay.written).size, relay.written.length);
    ok(sizes.length < 20, `${sizes}`);
  });
});
