import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import config from '../../config/arrows.ts';

describe('the check of import arrows', () => {
  /** The violations in a tree of these files. */
  async function of(files: Record<string, string>): Promise<string[]> {
    const root = mkdtempSync(join(tmpdir(), 'arrows-'));
    try {
      for (const [file, source] of Object.entries(files)) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), source);
      }
      const { forbidden, options } = config;
      const { output } = await cruise(['.'], { ...options, baseDir: root, validate: true, ruleSet: { forbidden } } as never);
      return (output as ICruiseResult).summary.violations.map(({ from, to }) => `${from} → ${to}`).sort();
    } finally {
      rmSync(root, { recursive: true });
    }
  }

  it('finds an import that goes the wrong way, dynamic and of nothing but its effects too', async () => {
    const wrong = await of({
      'activities/slice.ts': 'export const slice = 1;',
      'api/app.ts': `export { slice } from '../activities/slice.ts';`,
      'api/queue.ts': `import { slice } from '../activities/slice.ts';\nconsole.log(slice);`,
      'config/env.ts': 'export const env = 1;',
      'core/send.ts': `import '../api/app.ts';`,
      'domain/akid.ts': `export const env = await import('../config/env.ts');`,
    });
    assert.deepEqual(wrong, [
      'api/app.ts → activities/slice.ts',
      'api/queue.ts → activities/slice.ts',
      'core/send.ts → api/app.ts',
      'domain/akid.ts → config/env.ts',
    ]);
  });

  it('lets workflows name the types of activities, and nothing else of them', async () => {
    const wrong = await of({
      'activities/sweep.ts': 'export type Sweep = number;\nexport const sweep = 1;',
      'workflows/right.ts': `import type { Sweep } from '../activities/sweep.ts';\nexport const right: Sweep = 1;`,
      'workflows/wrong.ts': `import { sweep } from '../activities/sweep.ts';\nconsole.log(sweep);`,
    });
    assert.deepEqual(wrong, ['workflows/wrong.ts → activities/sweep.ts']);
  });

  it('passes what is allowed, and what has no arrows', async () => {
    const files = {
      'activities/sweep.ts': `import { QUEUE } from '../workflows/contracts.ts';\nexport const sweep = QUEUE;`,
      'workflows/contracts.ts': `export const QUEUE = 'campaign';`,
      'test/sweep.test.ts': `import { sweep } from '../activities/sweep.ts';\nconsole.log(sweep);`,
    };
    assert.deepEqual(await of(files), []);
  });
});
