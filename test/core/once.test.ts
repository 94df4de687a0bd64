import { deepEqual } from 'node:assert/strict';
import { once } from '../../core/once.ts';
import type { Sql } from '../../db/sql.ts';

describe('what comes several times with one key', () => {
  it('is made where what the first has made is taken back between two looks', async () => {
    // The first has its key, which is gone when it is looked for, and can be had then.
    const answers = [[], [], [{}], []];
    const sql = (async () => answers.shift()) as unknown as Sql;
    let made = 0;
    const id = await once(sql, { idempotencyKey: 'k', accountId: 1, route: '/', body: null }, async () => ++made);
    deepEqual([id, made, answers], [1, 1, []]);
  });
});
