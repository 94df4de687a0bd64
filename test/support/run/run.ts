import { type ChildProcess, fork } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { cpuSeconds, family } from '../../../bench/support/process-cost.ts';
import { endProcess } from '../../../embedded/end-process.ts';
import { COMPILED } from '../../../embedded/programs.ts';
import { testsOfChanges } from './changes.ts';
import { LONG, QUICK } from './files.ts';
import { testFolder } from './folder.ts';
import type { FileResult, Order } from './order.ts';

// npm test [-- FILE…]: the tests, files side by side in two processes more than there are processors, for nearly half of what they do is waiting.
// npm run test:quick: a choice of them, and those of what was changed.

const { values, positionals } = parseArgs({
  options: { jobs: { type: 'string' }, quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const jobs = Number(values.jobs ?? availableParallelism() + 2);
const asked = positionals.length ? positionals : values.quick ? [...QUICK, ...testsOfChanges()] : ['test/**/*.test.ts'];
const files = [...new Set(asked.flatMap((each) => globSync(each)))].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
if (!files.length) {
  console.error(`no test is called ${asked.join(', ')}`);
  endProcess(2);
}

const folder = testFolder();

/** Long files first, so that none is begun when all others are done. */
function place(file: string): number {
  const n = LONG.indexOf(file);
  return n < 0 ? LONG.length : n;
}

/** With the processor time of its process and all below, in seconds. */
type Taken = FileResult & { processor: number };

const results: Taken[] = [];

function take(result: Taken): void {
  results.push(result);
  console.log(
    `\n${result.file} (${result.seconds.toFixed(1)} s, ${result.processor.toFixed(1)} of processor time, ${result.heapMb.toFixed(0)} MB)\n${result.listing.trimEnd()}`,
  );
}

/** Runs files from `line` in a process of their own until none is left; after one that has failed, or ended the process, the others go on in a new one. */
function work(line: string[]): Promise<void> {
  if (!line.length) return Promise.resolve();
  return new Promise((ended) => {
    let file: string | undefined;
    const began = performance.now();
    const child: ChildProcess = fork(new URL('./file-runner.ts', import.meta.url), {
      execArgv: [],
      env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, ...folder },
    });
    let used = 0;
    const next = (last?: FileResult) => {
      // What a test that failed left running would be in the way of all that come after it.
      file = last?.failed ? undefined : line.shift();
      used = cpuSeconds(family(child.pid!));
      child.send({ file } satisfies Order);
    };
    child.on('message', (result: FileResult) => {
      take({ ...result, processor: cpuSeconds(family(child.pid!)) - used });
      next(result);
    });
    child.on('exit', (code, signal) => {
      if (file === undefined) return ended(work(line));
      const listing = `the process ended in the middle of it: ${signal ?? code}`;
      take({ file, passed: 0, failed: 1, skipped: 0, seconds: (performance.now() - began) / 1000, heapMb: 0, listing, processor: 0 });
      ended(work(line));
    });
    next();
  });
}

const began = performance.now();
await Promise.all(Array.from({ length: jobs }, () => work(files)));

const sum = (key: 'passed' | 'failed' | 'skipped') => results.reduce((total, each) => total + each[key], 0);
const failed = results.filter((each) => each.failed);
for (const { file, listing } of failed) {
  const failures = listing.slice(Math.max(0, listing.search(/^ {2}\d+ failing$/m)));
  console.log(`\n== ${file}\n${failures.trimEnd()}`);
}
const most = (key: 'seconds' | 'processor') =>
  results
    .toSorted((a, b) => b[key] - a[key])
    .slice(0, 12)
    .map((each) => `${each.file} ${each[key].toFixed(0)} s`)
    .join(', ');
console.log(`\nslowest: ${most('seconds')}`);
console.log(`most processor time: ${most('processor')}`);
const all = results.reduce((total, each) => total + each.processor, 0) / 60;
console.log(`${((performance.now() - began) / 60_000).toFixed(1)} minutes, ${all.toFixed(1)} of processor time`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed${sum('skipped') ? `, ${sum('skipped')} skipped` : ''}`);
process.exitCode = Math.min(sum('failed'), 255);
