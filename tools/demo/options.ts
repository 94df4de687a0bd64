import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const CRASHES = ['worker', 'api', 'postgres', 'temporal'] as const;
export type Crash = (typeof CRASHES)[number];

export interface DemoOptions {
  /** File of people who come in through the API. */
  people: string;
  /** How many generated people come in addition, straight into the database. */
  recipients: number;
  /** Mails per second; null is as fast as it goes. */
  rate: number | null;
  /** Which part is killed in mid-send. */
  crash: Crash | null;
  json: boolean;
  keep: boolean;
}

export const USAGE = `npm run demo -- [options]

  --recipients N   N generated people beside those of the people file
  --people FILE    people who come in through the API: YAML of the congress-legislators project, or a list of
                   {email, first_name, last_name, city, state, zip, country}
  --rate N         mails per second (default: as fast as it goes)
  --crash PART     kill PART with SIGKILL in mid-send: ${CRASHES.join(', ')}
  --json           the last line of standard output is one JSON object
  --keep           leave everything running afterwards, to look around`;

const SAMPLE = join(import.meta.dirname, 'sample-people.yaml');
/** Real public data that may lie beside the project. */
const LEGISLATORS = join(import.meta.dirname, '../../../shared/data/legislators-current.yaml');

/** What was given cannot be used; the message names it. */
export class OptionError extends Error {}

/** @throws OptionError */
export function readOptions(args: string[]): DemoOptions {
  const values = parse(args);
  const recipients = Number(values.recipients);
  if (!Number.isInteger(recipients) || recipients < 0) throw new OptionError('--recipients takes a whole number');
  const rate = values.rate === undefined ? null : Number(values.rate);
  if (rate !== null && !(rate > 0)) throw new OptionError('--rate takes a number above zero');
  const crash = CRASHES.find((part) => part === values.crash) ?? null;
  if (values.crash !== undefined && !crash) throw new OptionError(`--crash takes one of ${CRASHES.join(', ')}`);
  const people = values.people ?? (existsSync(LEGISLATORS) ? LEGISLATORS : SAMPLE);
  if (!existsSync(people)) throw new OptionError(`--people: there is no file ${people}`);
  return { people, recipients, rate, crash, json: values.json, keep: values.keep };
}

function parse(args: string[]) {
  const options = {
    people: { type: 'string' },
    recipients: { type: 'string', default: '0' },
    rate: { type: 'string' },
    crash: { type: 'string' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}
