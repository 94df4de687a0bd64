import { deepEqual, equal } from 'node:assert/strict';
import { FAULTS } from '../../tools/chaos/faults.ts';
import type { Round } from '../../tools/chaos/round.ts';
import { runChaos } from '../../tools/chaos/run.ts';

const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const KINDS = Object.keys(FAULTS);
const ROUNDS = 1;

/** A short round of every kind; `npm run chaos` plays long ones, as many as one likes. */
describe(`a send in which something goes wrong (CHAOS_SEED=${SEED})`, () => {
  const rounds: Round[] = [];

  // On platforms side by side, for most of a round is waiting.
  before(function () {
    this.timeout(480_000);
    return runChaos({
      faults: KINDS,
      rounds: ROUNDS,
      seed: SEED,
      stages: 4,
      recipients: 300,
      rate: 600,
      onRound: (round) => rounds.push(round),
    });
  });

  for (const fault of KINDS) {
    it(`forgets nobody, mails nobody twice and says nothing false: ${fault}`, () => {
      const those = rounds.filter((round) => round.fault === fault);
      equal(those.length, ROUNDS);
      deepEqual(
        those.flatMap((round) => round.wrongs.map((wrong) => `seed ${round.seed}: ${wrong}`)),
        [],
      );
    });
  }
});
