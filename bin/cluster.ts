import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess } from '../embedded/end-process.ts';
import { rehearse } from '../tools/cluster/rehearsal.ts';
import { isBuilt } from '../tools/cluster/temporal-binaries.ts';
import { command, wholeNumber } from './command.ts';

// The main job on a cluster, on this machine, with each of its parts struck in the middle. Ends with 0 only when every sum agrees with what arrived.
const USAGE = `npm run cluster -- [--recipients 30000] [--rate 300] [--if-built] [--keep] [--json]
  --if-built   does nothing, and says so, where the Temporal server would have to be built first
  --keep   leaves the folder, with the logs of every part, and says where
  --json   the result as JSON on standard output`;

const options = {
  recipients: { type: 'string', default: '30000' },
  rate: { type: 'string', default: '300' },
  'if-built': { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

await command(USAGE, options, async (_words, { recipients, rate, json, keep, 'if-built': ifBuilt }) => {
  if (ifBuilt && !isBuilt())
    return console.log('The Temporal server is not built here (npm run cluster builds it): nothing was rehearsed.');
  const folder = mkdtempSync(join(tmpdir(), 'campaign-cluster-'));
  // Others may pass through: as root, the database servers run as somebody else.
  chmodSync(folder, 0o711);
  const say = (what: string) => console.error(`  ${what}`);
  try {
    const sizes = { recipients: wholeNumber('--recipients', recipients, 1000), rate: wholeNumber('--rate', rate, 1) };
    const result = await rehearse({ ...sizes, folder, say });
    if (json) console.log(JSON.stringify(result, null, 2));
    else
      console.log(
        result.disagreements.length
          ? `NOT well: ${result.disagreements.join('; ')}`
          : `All sums agree with what arrived: ${result.accepted} accepted, ${result.uncertain} uncertain, in ${result.seconds} s.`,
      );
    process.exitCode = result.disagreements.length ? 1 : 0;
  } finally {
    if (keep) say(`everything is in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  endProcess();
});
