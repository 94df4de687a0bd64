import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newestRelease } from '../tools/previous-release/git.ts';
import { runPreviousRelease } from '../tools/previous-release/run.ts';
import { command } from './command.ts';

// Whether an earlier release's processes can go on after this one's migration. Ends with 0 only when its tests pass.
const USAGE = 'npm run previous-release -- [REFERENCE]   a tag or commit; without one the newest tag v…';

await command(USAGE, {}, async ([reference = newestRelease()]) => {
  if (!reference)
    return console.log('Nothing is released yet (there is no tag v…): no earlier release was tried. A reference may be named.');
  const folder = mkdtempSync(join(tmpdir(), 'campaign-previous-'));
  // Others may pass through: as root, the database servers run as somebody else.
  chmodSync(folder, 0o711);
  try {
    const { passed, said } = runPreviousRelease({ reference, folder, say: (what) => console.error(`  ${what}`) });
    console.log(said);
    process.exitCode = passed ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
