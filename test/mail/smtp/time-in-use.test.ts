import { ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeInUse } from '../../../mail/smtp/time-in-use.ts';

describe('how much of its time a thread works', () => {
  it('is most of it while it computes, waiting for a processor included, and hardly any while it sleeps', async () => {
    const use = timeInUse();
    for (const began = performance.now(); performance.now() - began < 200; );
    const working = use();
    await sleep(500);
    const asleep = use();
    ok(working > 0.8 && working < 1.2, `${working} at work`);
    ok(asleep < 0.5, `${asleep} asleep`);
  });
});
