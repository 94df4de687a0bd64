import assert from 'node:assert/strict';
import { Committed, LostCommitsError } from '../../../core/sending/lost-commits.ts';
import type { Pool } from '../../../db/driver.ts';

const RUN = '2026-01-01T00:00:00Z';

/** Answers what the shard is at, after something else has happened meanwhile. */
const answering = (committed: number, meanwhile = () => {}): Pool =>
  ({
    query: async () => {
      meanwhile();
      return { rows: [{ shard: 0, fence: 5, committed }] };
    },
  }) as unknown as Pool;

describe('commits that are missed', () => {
  it('are those a process made before it asked', async () => {
    const committed = new Committed().of(1, RUN);
    committed.note({ shard: 0, fence: 5 }, 7);
    await committed.check(answering(7));
    await assert.rejects(committed.check(answering(6)), LostCommitsError);
  });

  it('are not those another slice of the process made while the database was answering', async () => {
    const all = new Committed();
    const [one, other] = [all.of(1, RUN), all.of(1, RUN)];
    one.note({ shard: 0, fence: 5 }, 7);
    await other.check(answering(7, () => one.note({ shard: 0, fence: 5 }, 8)));
    await assert.rejects(other.check(answering(7)), LostCommitsError);
  });

  it('are those of a mailing that goes on while many others come and go', async () => {
    const all = new Committed();
    all.of(1, RUN).note({ shard: 0, fence: 5 }, 7);
    for (let other = 2; other < 500; other++) {
      all.of(other, RUN);
      // Its slices come again and again.
      all.of(1, RUN);
    }
    await assert.rejects(all.of(1, RUN).check(answering(6)), LostCommitsError);
  });
});
