import { deepEqual, equal } from 'node:assert/strict';
import { FAULTS } from '../../tools/chaos/faults.ts';
import type { Round } from '../../tools/chaos/round.ts';
import { runChaos } from '../../tools/chaos/run.ts';

const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const ALL = Object.keys(FAULTS);

/** Played every time: each part killed, stopped and made to stand still, every answer of a relay that counts, and a stop in the middle of it. */
const ALWAYS = [
  'kill-worker',
  'kill-postgres',
  'kill-temporal',
  'kill-api',
  'stop-worker',
  'pause-worker',
  'pause-postgres',
  'worker-postgres-reset',
  'worker-relay-reset',
  'relay-421',
  'relay-550',
  'relay-takes-and-closes',
  'stop',
  'stop-and-kill-worker',
  'stop-and-pause-worker',
];
/** Of the others one part, by the seed: four runs with seeds one after the other play everything. */
const PARTS = 4;
const others = ALL.filter((fault) => !ALWAYS.includes(fault)).filter((_, n) => n % PARTS === SEED % PARTS);
const KINDS = process.env['CHAOS_ALL'] ? ALL : ALL.filter((fault) => ALWAYS.includes(fault) || others.includes(fault));
const ROUNDS = 1;

/** Short rounds; `npm run chaos` plays long ones of every kind, as many as one likes. */
describe(`a send in which something goes wrong (CHAOS_SEED=${SEED}, ${KINDS.length} of ${ALL.length} kinds)`, () => {
  const rounds: Round[] = [];

  // On two platforms side by side, for most of a round is waiting; more would spend the time on starting them.
  before(() =>
    runChaos({
      faults: KINDS,
      rounds: ROUNDS,
      seed: SEED,
      stages: 2,
      recipients: 300,
      rate: 600,
      onRound: (round) => rounds.push(round),
    }),
  );

  after(() => {
    const slowest = rounds.toSorted((a, b) => b.seconds - a.seconds);
    console.log(`    seconds: ${slowest.map(({ fault, seconds }) => `${fault} ${Math.round(seconds)}`).join(', ')}`);
  });

  it('has kinds that are played every time', () =>
    deepEqual(
      ALWAYS.filter((fault) => !ALL.includes(fault)),
      [],
    ));

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
