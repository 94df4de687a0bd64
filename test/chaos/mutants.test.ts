import { deepEqual, ok, throws } from 'node:assert/strict';
import { FAULTS } from '../../tools/chaos/faults.ts';
import { MUTANTS, spoil, spoiledSources } from '../../tools/chaos/mutants.ts';

// Played by `npm run chaos -- --mutants`, which takes its time; here only that they can still be made.

describe('engines broken on purpose', () => {
  for (const [name, { kinds }] of Object.entries(MUTANTS)) {
    it(`can still be made: ${name}`, () => {
      ok(spoiledSources(name).size > 0);
      deepEqual(
        kinds.filter((kind) => !FAULTS[kind]),
        [],
      );
    });
  }

  it('say so when the text they spoil is gone, or stands there twice', () => {
    const changes = [{ file: 'a.ts', from: 'x', to: 'y' }];
    throws(() => spoil('a', changes), /a.ts has the text to be spoiled 0 times, not once: x/);
    throws(() => spoil('x x', changes), /2 times/);
    deepEqual(spoil('a x b', changes), 'a y b');
  });
});
