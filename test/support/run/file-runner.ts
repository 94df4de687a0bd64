import { format } from 'node:util';
import Mocha from 'mocha';
import { endProcess } from '../../../embedded/end-process.ts';
import { endFile, mochaHooks } from '../endings.ts';
import type { FileResult, Order } from './order.ts';

// A process that runs test files as they are given to it, one after the other, on servers it starts once (endings.ts).

let lines: string[] = [];
Mocha.reporters.Base.consoleLog = (...args: unknown[]) => lines.push(format(...args));

async function runFile(file: string): Promise<FileResult> {
  lines = [];
  const began = performance.now();
  const mocha = new Mocha({ timeout: 480_000, forbidOnly: true, reporter: 'spec', color: false });
  mocha.addFile(file);
  await mocha.loadFilesAsync();
  const { passes, failures, pending } = await new Promise<Mocha.Stats>((ended) => {
    const runner = mocha.run(() => ended(runner.stats!));
  });
  mocha.dispose();
  await endFile();
  return {
    file,
    passed: passes,
    failed: failures,
    skipped: pending,
    seconds: (performance.now() - began) / 1000,
    heapMb: process.memoryUsage().heapUsed / 1e6,
    listing: lines.join('\n'),
  };
}

async function end(): Promise<void> {
  await mochaHooks.afterAll.call({ timeout: () => {} } as unknown as Mocha.Context);
  endProcess();
}

// Whoever gives the orders was killed.
process.on('disconnect', end);
process.on('message', async (order: Order) => {
  if (order.file === undefined) return end();
  const result = await runFile(order.file).catch(
    (error: Error): FileResult => ({
      file: order.file!,
      passed: 0,
      failed: 1,
      skipped: 0,
      seconds: 0,
      heapMb: 0,
      listing: error.stack ?? String(error),
    }),
  );
  process.send!(result);
});
