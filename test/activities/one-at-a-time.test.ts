import { deepEqual, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneAtATime } from '../../activities/one-at-a-time.ts';

describe('one at a time', () => {
  it('is begun once for all who ask while one is at work, after each of them asked', async () => {
    let begun = 0;
    const ask = oneAtATime(async () => {
      const nth = ++begun;
      await sleep(200);
      return nth;
    }, 10_000);
    const all = [ask(), ask(), ask()];
    await all[0];
    await sleep(5);
    all.push(ask());
    deepEqual(await Promise.all(all), [1, 2, 2, 3]);
    deepEqual(await ask(), 4);
  });

  it('begins anew after one that failed, and beside one that does not end', async () => {
    let begun = 0;
    const ask = oneAtATime(async () => {
      begun++;
      if (begun === 1) throw new Error('no');
      return begun === 2 ? new Promise<number>(() => {}) : begun;
    }, 20);
    await rejects(ask(), /no/);
    ask();
    deepEqual(await Promise.all([ask(), ask()]), [3, 3]);
    deepEqual(await ask(), 4);
  });
});
