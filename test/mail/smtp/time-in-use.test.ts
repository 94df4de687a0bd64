import { ok } from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeInUse } from '../../../mail/smtp/time-in-use.ts';

describe('how much of its time a thread works', () => {
  const { readFileSync } = fs;
  const reading = (read: typeof readFileSync) => {
    fs.readFileSync = read;
    syncBuiltinESMExports();
  };
  afterEach(() => reading(readFileSync));

  async function tells(): Promise<void> {
    const use = timeInUse();
    await sleep(1);
    use();
    for (const began = performance.now(); performance.now() - began < 200; );
    const working = use();
    // Some of what the process has to do by itself, collecting garbage say, may come just then on a machine with much else to do.
    let asleep = 1;
    for (let n = 0; n < 5 && asleep >= 0.5; n++) {
      await sleep(500);
      asleep = use();
    }
    ok(working > 0.8 && working < 1.2, `${working} at work`);
    ok(asleep < 0.5, `${asleep} asleep`);
  }

  it('is most of it while it computes, waiting for a processor included, and hardly any while it sleeps', () => tells());

  for (const [where, read] of [
    [
      'there is no such file, or no descriptor is left',
      () => {
        throw new Error('EMFILE');
      },
    ],
    ['it is not kept', () => '0 0 0\n'],
  ] as const) {
    it(`is asked of the event loop where ${where}`, () => {
      reading(read as unknown as typeof readFileSync);
      return tells();
    });
  }
});
