import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Held } from './loop-watch.ts';

/** A process of the platform whose event loop is watched from inside. */
export class WatchedProcess {
  readonly #child: ChildProcess;

  /** @param program a file of bin/ */
  constructor(program: string, settings: Record<string, string>) {
    this.#child = fork(program, [], {
      execArgv: ['--import', './bench/support/loop-watch.ts'],
      env: { ...process.env, LOG_LEVEL: 'fatal', ...settings },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The longest hold since this was asked last. @throws Error when the process is gone, or gives no answer for a minute */
  async held(): Promise<Held> {
    if (!this.running) throw new Error('the watched process has ended');
    this.#child.send('held');
    const [held] = await once(this.#child, 'message', { signal: AbortSignal.timeout(60_000) });
    return held as Held;
  }

  async stop(): Promise<void> {
    if (!this.running) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
