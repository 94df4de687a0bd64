import { endProcess } from '../embedded/end-process.ts';
import { random } from '../tools/chaos/random.ts';
import { writeAtOnce } from '../tools/fuzz/at-once.ts';
import { everyOperation } from '../tools/fuzz/every-operation.ts';
import { openPlace } from '../tools/fuzz/place.ts';
import { linesOf, summaryOf } from '../tools/fuzz/report.ts';
import { command, UsageError, wholeNumber } from './command.ts';

// The whole API, by its OpenAPI document, on a platform of its own.
const USAGE = `npm run fuzz -- [--per-operation 12] [--seed 1] [--only /rest/v1/list/]
npm run fuzz -- --at-once         writes of all kinds at once to the same few objects; looked at after each batch: errors, deadlocks, every number kept
                                  beside the rows, and in the end what is left of the erased, and who was mailed twice
  --seconds 60 --seed 1           the same calls, as far as their answers are the same
  --focus 'order|transaction'     operations whose path it matches come twenty times as often
  --workers 1                     0: the API and the database alone; nobody is erased or mailed
  --json                          the result as one JSON document`;

const number = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  'per-operation': { ...number, default: '12' },
  seed: { ...number, default: '1' },
  only: { type: 'string' },
  'at-once': flag,
  seconds: { ...number, default: '60' },
  focus: { type: 'string' },
  workers: { ...number, default: '1' },
  json: flag,
} as const;
const say = (what: string) => console.error(`… ${what}`);

/** @throws UsageError for what is none */
function expression(option: string, text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new UsageError(`${option} takes a regular expression, not “${text}”.`);
  }
}

await command(
  USAGE,
  options,
  async (_words, values) => {
    const perOperation = wholeNumber('--per-operation', values['per-operation']);
    const seed = wholeNumber('--seed', values.seed, 0);
    const seconds = wholeNumber('--seconds', values.seconds);
    const workers = wholeNumber('--workers', values.workers, 0, 8);
    const focus = values.focus === undefined ? undefined : expression('--focus', values.focus);
    if (!values['at-once']) {
      process.exitCode = await everyOperation({ perOperation, seed, only: values.only }, say);
      return;
    }
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const place = await openPlace(workers, random(seed + 1), say);
    const onWrong = (wrong: Parameters<typeof linesOf>[0]) => console.error(linesOf(wrong));
    const result = await writeAtOnce({ ...place, seconds, seed, focus, onWrong, stop: stop.signal }).finally(() => place.close());
    console.log(values.json ? JSON.stringify(result) : summaryOf(result));
    endProcess(result.wrong.length ? 1 : 0);
  },
  0,
);
