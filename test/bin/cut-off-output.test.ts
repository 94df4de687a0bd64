import { deepEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMPILED } from '../../embedded/programs.ts';

describe('a command whose output is read to no end, as by head or a pager that is left', () => {
  it('ends as it would otherwise, without a word of that', async () => {
    const describe = new URL('../../bin/describe.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [describe, 'openapi'], {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILED },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (chunk) => (complaint += chunk));
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = await once(child, 'close');
    deepEqual([code, complaint], [0, '']);
  });
});
