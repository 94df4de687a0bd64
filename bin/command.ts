import { type ParseArgsConfig, parseArgs } from 'node:util';
import { plainWords } from './failure.ts';

/** The command was called in a way it cannot be. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<Known extends Options> = ReturnType<typeof parseArgs<{ allowPositionals: true; options: Known }>>;

/**
 * Runs a command that ends by itself. Wrong usage is answered with how it is to be called and code 2, a failure that can be mended with one sentence and code 1.
 * @param usage one line for each form of it
 * @param options as parseArgs takes them; any other is wrong usage
 * @param run gets words and options; what it throws is said. A UsageError may have no message of its own
 */
export async function command<Known extends Options>(
  usage: string,
  options: Known,
  run: (words: string[], values: Parsed<Known>['values']) => Promise<void>,
): Promise<void> {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options });
    await run(positionals, values);
  } catch (error) {
    const wrong = error instanceof UsageError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
    if (wrong) {
      const { message } = error as Error;
      console.error(message ? `${message}\n${usage}` : usage);
    } else console.error(plainWords(error) ?? error);
    process.exitCode = wrong ? 2 : 1;
  }
}
