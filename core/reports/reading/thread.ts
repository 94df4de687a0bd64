import { parentPort } from 'node:worker_threads';
import { isBroken } from '../../../domain/reports/grammar.ts';
import { MissingParameters } from '../../../domain/reports/placeholders.ts';
import { StatementError } from '../../../domain/reports/statement-error.ts';
import { bind, bindAnything, bindNothing } from './read.ts';

// The thread statements are read on that take long to read: one after the other, each answered before the next is taken.

const WAYS = { bind, bindNothing, bindAnything };

export interface Ask {
  id: number;
  how: keyof typeof WAYS;
  args: unknown[];
}

/** `last` where the thread is to read nothing more. */
export type Answer = { id: number; last: boolean } & ({ bound: unknown } | { refused: string; missing?: string[] } | { failed: string });

parentPort!.on('message', async ({ id, how, args }: Ask) => {
  const answer = (what: object) => parentPort!.postMessage({ id, last: isBroken(), ...what });
  try {
    answer({ bound: await (WAYS[how] as (...args: unknown[]) => Promise<unknown>)(...args) });
  } catch (error) {
    if (error instanceof MissingParameters) answer({ refused: '', missing: error.names });
    else if (error instanceof StatementError) answer({ refused: error.message });
    else answer({ failed: String((error as Error).stack) });
  }
});
