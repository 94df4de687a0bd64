import { parseArgs } from 'node:util';
import { openStage } from '../embedded/chaos/chaos.ts';
import { FAULTS } from '../embedded/chaos/faults.ts';

// npm run chaos -- --rounds 5 --seed 1 [--fault kill-worker]: real sends with one fault each; after each, the relay's own record is held against the ledger.

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' }, fault: { type: 'string', multiple: true } },
});
let state = Number(values.seed) >>> 0;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const faults = values.fault ?? Object.keys(FAULTS);
const stage = await openStage();
let wrong = 0;
console.log('fault                    rounds  targeted  accepted  failed  uncertain  wrong  seconds (longest)');
for (const fault of faults) {
  const sum = { targeted: 0, accepted: 0, failed: 0, uncertain: 0, longest: 0 };
  const wrongs: string[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const verdict = await stage.round(fault, random());
    sum.targeted += verdict.targeted;
    sum.accepted += verdict.accepted;
    sum.failed += verdict.failed;
    sum.uncertain += verdict.uncertain;
    sum.longest = Math.max(sum.longest, verdict.seconds);
    wrongs.push(...verdict.wrongs);
  }
  wrong += wrongs.length;
  const columns = [values.rounds, sum.targeted, sum.accepted, sum.failed, sum.uncertain, wrongs.length, sum.longest.toFixed(1)];
  console.log(fault.padEnd(24), columns.map((column) => String(column).padStart(8)).join(' '));
  for (const each of wrongs) console.log(`    ${each}`);
}
await stage.close();
process.exit(wrong ? 1 : 0);
