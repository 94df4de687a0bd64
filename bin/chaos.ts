import { appendFileSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FAULTS } from '../tools/chaos/faults.ts';
import { MUTANTS } from '../tools/chaos/mutants.ts';
import { tableOf } from '../tools/chaos/report.ts';
import type { Round } from '../tools/chaos/round.ts';
import { runChaos } from '../tools/chaos/run.ts';
import { runMutants, type Trial, tableOfTrials } from '../tools/chaos/run-mutants.ts';

// npm run chaos -- --rounds 50 --seed 1: real sends with one fault each; after each, the relay's own record is held against the ledger.
//   --fault kill-worker,relay-421   only these kinds (--list names them all)
//   --stages 2                      platforms side by side
//   --json FILE                     appends every round to a file, one JSON document a line
//   --table FILE --table FILE …     plays nothing: prints the table of rounds played earlier
//   --mutants                       the engine broken on purpose, one way after the other (--mutant a,b only some): each has to be found out by the
//                                   kinds of trouble named beside it, within --rounds of each; those who survive make the command fail

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    fault: { type: 'string', multiple: true },
    stages: { type: 'string', default: '2' },
    recipients: { type: 'string' },
    rate: { type: 'string' },
    json: { type: 'string' },
    table: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string', multiple: true },
  },
});
const readRounds = (file: string): Round[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

if (values.list) console.log(Object.keys(FAULTS).join('\n'));
else if (values.table) console.log(tableOf(values.table.flatMap(readRounds)));
else {
  const faults = values.fault?.flatMap((list) => list.split(',')) ?? Object.keys(FAULTS);
  const unknown = faults.filter((fault) => !FAULTS[fault]);
  if (unknown.length) throw new Error(`there is no fault ${unknown.join(', ')}; --list names them all`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const common = { faults, seed: Number(values.seed), stages: Number(values.stages), stop: stop.signal };
  const sizes = (recipients: number, rate: number) => ({
    recipients: Number(values.recipients ?? recipients),
    rate: Number(values.rate ?? rate),
  });
  if (values.mutants || values.mutant) {
    const trials: Trial[] = [];
    await runMutants({
      ...common,
      ...sizes(300, 60),
      // So that there is always somebody on the wire.
      relayDelayMs: 40,
      patience: 100,
      mutants: values.mutant?.flatMap((list) => list.split(',')) ?? Object.keys(MUTANTS),
      rounds: Number(values.rounds ?? 6),
      onTrial(trial) {
        trials.push(trial);
        const { mutant, fault, rounds, foundBy, without } = trial;
        console.error(
          `${mutant.padEnd(28)} ${fault.padEnd(26)} ${rounds} rounds  ${foundBy || `SURVIVED${without ? `: ${without}` : ''}`}`,
        );
        if (values.json) appendFileSync(values.json, `${JSON.stringify(trial)}\n`);
      },
    });
    console.log(tableOfTrials(trials));
    process.exit(trials.some(({ foundBy }) => !foundBy) ? 1 : 0);
  }
  const played: Round[] = [];
  await runChaos({
    ...common,
    ...sizes(2000, 1000),
    rounds: Number(values.rounds ?? 1),
    onRound(round) {
      played.push(round);
      if (values.json) appendFileSync(values.json, `${JSON.stringify(round)}\n`);
      const { fault, seed, seconds, strainMs, uncertain, wrongs } = round;
      console.error(
        `${fault.padEnd(26)} seed ${seed}  ${seconds.toFixed(1)} s  uncertain ${uncertain}  strain ${strainMs} ms${wrongs.map((each) => `\n    WRONG: ${each}`).join('')}`,
      );
    },
  });
  console.log(tableOf(played));
  process.exit(played.some((round) => round.wrongs.length) ? 1 : 0);
}
