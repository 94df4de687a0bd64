import { appendFileSync, readFileSync } from 'node:fs';
import { endProcess } from '../embedded/end-process.ts';
import { FAULTS } from '../tools/chaos/faults.ts';
import { MUTANTS } from '../tools/chaos/mutants.ts';
import { tableOf } from '../tools/chaos/report.ts';
import type { Round } from '../tools/chaos/round.ts';
import { runChaos } from '../tools/chaos/run.ts';
import { runMutants, type Trial, tableOfTrials } from '../tools/chaos/run-mutants.ts';
import { command, UsageError, wholeNumber } from './command.ts';

// Real sends with one fault each; after each, the relay's own record is held against the ledger.
const USAGE = `npm run chaos -- [--rounds 50] [--seed 1] [--recipients 2000] [--rate 1000]
  --fault kill-worker,relay-421   only these kinds (--list names them all)
  --stages 2                      platforms side by side
  --json FILE                     appends every round to a file, one JSON document a line
  --table FILE --table FILE …     plays nothing: prints the table of rounds played earlier
  --mutants                       the engine broken on purpose, one way after the other (--mutant a,b only some): each has to be found out by the kinds
                                  of trouble named beside it, within --rounds of each; those who survive make the command fail`;

const options = {
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
} as const;

const readRounds = (file: string): Round[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** @throws UsageError for a name that is none of them */
function readNames(what: string, lists: string[] | undefined, known: object): string[] {
  const names = lists?.flatMap((list) => list.split(',')) ?? Object.keys(known);
  const unknown = names.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length) throw new UsageError(`There is no ${what} ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}.`);
  return names;
}

await command(
  USAGE,
  options,
  async (_words, values) => {
    if (values.list) return console.log(Object.keys(FAULTS).join('\n'));
    if (values.table) return console.log(tableOf(values.table.flatMap(readRounds)));
    const faults = readNames('fault', values.fault, FAULTS);
    const mutants = readNames('mutant', values.mutant, MUTANTS);
    const count = (name: 'rounds' | 'seed' | 'stages' | 'recipients' | 'rate', fallback = 0) =>
      values[name] === undefined ? fallback : wholeNumber(`--${name}`, values[name], name === 'seed' ? 0 : 1);
    const breaks = values.mutants || values.mutant !== undefined;
    const [rounds, recipients, rate] = breaks ? [6, 300, 60] : [1, 2000, 1000];
    const sizes = { rounds: count('rounds', rounds), recipients: count('recipients', recipients), rate: count('rate', rate) };
    if (values.json) appendFileSync(values.json, '');
    const stop = new AbortController();
    const common = { faults, ...sizes, seed: count('seed'), stages: count('stages'), stop: stop.signal };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    if (breaks) {
      const trials: Trial[] = [];
      await runMutants({
        ...common,
        // So that there is always somebody on the wire.
        relayDelayMs: 40,
        patience: 100,
        mutants,
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
      endProcess(trials.some(({ foundBy }) => !foundBy) ? 1 : 0);
    }
    const played: Round[] = [];
    await runChaos({
      ...common,
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
    endProcess(played.some((round) => round.wrongs.length) ? 1 : 0);
  },
  0,
);
