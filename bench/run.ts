import { readdirSync } from 'node:fs';
import { endProcess } from '../embedded/end-process.ts';

// npm run bench -- NAME [options]: runs bench/NAME.ts. With --json the last line of output is one JSON object.

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));
const [name, ...args] = process.argv.slice(2);
if (!name || !names.includes(name)) {
  console.error(`npm run bench -- NAME [options], where NAME is one of: ${names.join(', ')}`);
  endProcess(2);
}

/** What a file here exports: prints as it goes, returns its figures. */
interface Bench {
  run(args: string[]): Promise<Record<string, unknown>>;
}

const bench = (await import(`./${name}.ts`)) as Bench;
const asJson = args.includes('--json');
const figures = await bench.run(args.filter((arg) => arg !== '--json'));
if (asJson) console.log(JSON.stringify(figures));
endProcess();
