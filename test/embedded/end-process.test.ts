import { deepEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

describe('the end of a process', () => {
  const codeOf = (...lines: string[]) => {
    const script = [`import { endProcess } from '${new URL('../../embedded/end-process.ts', import.meta.url).href}';`, ...lines].join('\n');
    return spawnSync(process.execPath, ['--input-type=module', '-e', script]).status;
  };

  it('tells whoever started it what it was told, else what was found out before', () => {
    deepEqual(
      [codeOf('endProcess();'), codeOf('process.exitCode = 1;', 'endProcess();'), codeOf('process.exitCode = 1;', 'endProcess(3);')],
      [0, 1, 3],
    );
  });
});
