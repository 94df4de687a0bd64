import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from '../embedded/end-process.ts';

// npm run bench -- NAME [options]: runs bench/NAME.ts. With --json the last line of output is one JSON object.

/** What a file here exports: prints as it goes, returns its figures. */
interface Bench {
  run(args: string[]): Promise<Record<string, unknown>>;
}

/** What a bench says of itself: the comment above its `run`, and the options it reads with their defaults. */
function help(name: string): string {
  const source = readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8');
  const comment = source.match(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export async function run/)?.[1] ?? '';
  const options = [...source.matchAll(/'?([\w-]+)'?: \{ type: '(?:string|boolean)'(?:, default: '?([^' }]*)'?)? \}/g)];
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim());
  return [
    ...lines.filter((line) => line && !line.startsWith('@')),
    '',
    [
      'npm run bench --',
      name,
      ...options.map(([, option, given]) => `[--${option}${given && given !== 'false' ? ` ${given}` : ''}]`),
      '[--json]',
    ].join(' '),
  ].join('\n');
}

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));
const [name, ...args] = process.argv.slice(2);
if (!name || !names.includes(name)) {
  const usage = `npm run bench -- NAME [options], where NAME is one of: ${names.join(', ')}; --help behind a name says what it measures`;
  (name === '--help' ? console.log : console.error)(usage);
  endProcess(name === '--help' ? 0 : 2);
}
if (args.includes('--help')) {
  console.log(help(name));
  endProcess(0);
}

const bench = (await import(`./${name}.ts`)) as Bench;
const asJson = args.includes('--json');
try {
  const figures = await bench.run(args.filter((arg) => arg !== '--json'));
  if (asJson) console.log(JSON.stringify(figures));
} catch (error) {
  const { code, message } = error as { code?: string; message: string };
  // A bench names the option that it cannot do with.
  if (!code?.startsWith('ERR_PARSE_ARGS') && !message.startsWith('--')) throw error;
  console.error(`${message.split('. ')[0]}\n${help(name)}`);
  endProcess(2);
}
endProcess();
