import { deepEqual } from 'node:assert/strict';
import { type ChaosStage, openStage } from '../../embedded/chaos/chaos.ts';

/** One of each way things go wrong; `npm run chaos` has them all, as often as one likes. */
const ROUNDS: [fault: string, chance: number][] = [
  ['kill-worker', 0.5],
  ['stop-worker', 0.3],
  ['cut-database', 0.4],
  ['relay-takes-and-closes', 0.5],
  ['relay-421', 0.2],
  ['relay-550', 0.3],
];

describe('a send in which something dies', function () {
  this.timeout(180_000);
  let stage: ChaosStage;

  before(async () => {
    stage = await openStage({ recipients: 1200, rate: 400 });
  });
  after(() => stage?.close());

  for (const [fault, chance] of ROUNDS) {
    it(`forgets nobody, mails nobody twice and says nothing false: ${fault}`, async () => {
      deepEqual((await stage.round(fault, chance)).wrongs, []);
    });
  }
});
