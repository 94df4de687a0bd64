import { appendFileSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FAULTS } from '../tools/chaos/faults.ts';
import { tableOf } from '../tools/chaos/report.ts';
import type { Round } from '../tools/chaos/round.ts';
import { runChaos } from '../tools/chaos/run.ts';

// npm run chaos -- --rounds 50 --seed 1: real sends with one fault each; after each, the relay's own record is held against the ledger.
//   --fault kill-worker,relay-421   only these kinds (--list names them all)
//   --stages 2                      platforms side by side
//   --json FILE                     appends every round to a file, one JSON document a line
//   --table FILE --table FILE …     plays nothing: prints the table of rounds played earlier

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    fault: { type: 'string', multiple: true },
    stages: { type: 'string', default: '2' },
    recipients: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '1000' },
    json: { type: 'string' },
    table: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
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
  const played: Round[] = [];
  await runChaos({
    faults,
    rounds: Number(values.rounds),
    seed: Number(values.seed),
    stages: Number(values.stages),
    recipients: Number(values.recipients),
    rate: Number(values.rate),
    stop: stop.signal,
    onRound(round) {
      played.push(round);
      if (values.json) appendFileSync(values.json, `${JSON.stringify(round)}\n`);
      const { fault, seed, seconds, uncertain, wrongs } = round;
      console.error(
        `${fault.padEnd(26)} seed ${seed}  ${seconds.toFixed(1)} s  uncertain ${uncertain}${wrongs.map((each) => `\n    WRONG: ${each}`).join('')}`,
      );
    },
  });
  console.log(tableOf(played));
  process.exit(played.some((round) => round.wrongs.length) ? 1 : 0);
}
