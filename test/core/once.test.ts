import { deepEqual, ok } from 'node:assert/strict';
import { once } from '../../core/once.ts';
import type { Sql } from '../../db/sql.ts';
import { everyTurnMs } from '../support/processor-time.ts';

describe('what comes several times with one key', () => {
  it('is made where what the first has made is taken back between two looks', async () => {
    // The first has its key, which is gone when it is looked for, and can be had then.
    const answers = [[], [], [{}], []];
    const sql = (async () => answers.shift()) as unknown as Sql;
    let made = 0;
    const id = await once(sql, { idempotencyKey: 'k', accountId: 1, route: '/', body: null }, async () => ++made);
    deepEqual([id, made, answers], [1, 1, []]);
  });

  it('holds nobody up, however large its body is and whatever stands in it', async () => {
    const sql = (async () => [{}]) as unknown as Sql;
    for (const sign of ['"', '\u0001', 'é', 'x']) {
      const body = sign.repeat(10_000_000 / (JSON.stringify(sign).length - 2));
      const longest = await everyTurnMs(80, () => once(sql, { idempotencyKey: 'k', accountId: 1, route: '/', body }, async () => 1));
      ok(longest < 80, `${JSON.stringify(sign)}: ${longest} ms in one turn`);
    }
  });

  it('is told from what differs in its last letter alone', async () => {
    const digests: unknown[] = [];
    const sql = (async (_text: string, values: unknown[]) => [digests.push(values[1])]) as unknown as Sql;
    for (const last of ['\u{1f600}', '\u{1f601}', '\u{1f600}'])
      await once(sql, { idempotencyKey: 'k', accountId: 1, route: '/', body: `${'x'.repeat(2 ** 20 - 2)}${last}` }, async () => 1);
    const [first, , second, , third] = digests;
    deepEqual([first === second, first === third], [false, true]);
  });
});
