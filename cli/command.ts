import { parseArgs } from 'node:util';
import type { Env } from '../config/env.ts';
import type { Rest } from './rest.ts';
import type { Terminal } from './terminal.ts';

/** Options of all commands. */
export const OPTIONS = {
  json: { type: 'boolean' },
  status: { type: 'string' },
  limit: { type: 'string' },
  yes: { type: 'boolean' },
  email: { type: 'string' },
  generate: { type: 'boolean' },
  'password-stdin': { type: 'boolean' },
  dialect: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @throws Error for what is no option */
export const parse = (args: string[]) => parseArgs({ args, options: OPTIONS, allowPositionals: true });

/** What a command is given. */
export interface Call {
  env: Env;
  rest: Rest;
  /** What follows the command's name. */
  words: string[];
  options: ReturnType<typeof parse>['values'];
  terminal: Terminal;
  /** The result: as it is with --json, else as text. */
  say(result: unknown, text: () => string): void;
}

/** @throws UsageError, RefusedError, AwayError */
export type Command = (call: Call) => Promise<void>;
