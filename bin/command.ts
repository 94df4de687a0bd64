import { type ParseArgsConfig, parseArgs } from 'node:util';
import { endProcess } from '../embedded/end-process.ts';
import { plainWords } from './failure.ts';

/** The command was called in a way it cannot be. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<Known extends Options> = ReturnType<typeof parseArgs<{ allowPositionals: true; options: Known }>>;

/** Code a command ends with when it was called wrongly. */
const USAGE = 2;

/**
 * Runs a command that ends by itself. `--help` is answered with how it is called, wrong usage with that and code 2, a failure that can be mended with one sentence and code 1.
 * @param usage one line for each form of it
 * @param options as parseArgs takes them; any other is wrong usage, and so are words above `most`
 * @param run gets words and options; what it throws is said. A UsageError may have no message of its own
 */
export async function command<Known extends Options>(
  usage: string,
  options: Known,
  run: (words: string[], values: Parsed<Known>['values']) => Promise<void>,
  most = 1,
): Promise<void> {
  if (process.argv.includes('--help')) return console.log(usage);
  // Whoever reads what is printed may have read enough: what is done goes on to its end.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options });
    if (positionals.length > most) throw new UsageError(`“${positionals[most]}” is one word too many.`);
    await run(positionals, values);
  } catch (error) {
    const wrong = error instanceof UsageError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
    if (wrong) {
      const { message } = error as Error;
      console.error(message ? `${message}\n${usage}` : usage);
    } else console.error(plainWords(error) ?? error);
    process.exitCode = wrong ? USAGE : 1;
  }
}

/** Ends a process that was given words or options and takes none. */
export function takeNothing(called: string): void {
  const [word] = process.argv.slice(2);
  if (word === undefined) return;
  console.error(`${called} takes no words or options, and so not “${word}”; settings come from the environment (npm run settings).`);
  endProcess(USAGE);
}

/** The value of an option that is a whole number. @throws UsageError that names it */
export function wholeNumber(option: string, text: string, least = 1, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most)
    throw new UsageError(
      `${option} takes a whole number ${most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`}, not “${text}”.`,
    );
  return number;
}
