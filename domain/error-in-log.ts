import { withoutAddresses } from './without-addresses.ts';

/** What a log says of an error. */
export interface ErrorInLog {
  type: string;
  message: string;
  /** What the database names beside its words; none of it is a value of a row. */
  code?: string;
  constraint?: string;
  table?: string;
  column?: string;
  /** Where it was thrown, without the words. */
  stack: string;
  cause?: ErrorInLog;
  errors?: ErrorInLog[];
}

/** Of a hundred failures at once, so many tell enough. */
const MOST_ERRORS = 5;
const DEEPEST = 5;

/** PostgreSQL's class for statements it cannot take: what it quotes there are words of the statement. */
const WRONG_STATEMENT = /^42/;
/** The ORM puts these lines of the database, which quote rows, behind its message. */
const BESIDE_THE_MESSAGE = /\n - (?:detail|hint): [\s\S]*$/;
/** From the first to the last: a value may hold quotes itself. */
const QUOTED = [/"[\s\S]*"/g, /'[\s\S]*'/g, /`[\s\S]*`/g];
const IN_DOUBLE_QUOTES = /"([^"]*)"/g;
const IDENTIFIER = /^[a-z_][a-z0-9_.]*$/;
const FRAME = /^ {4}at /;

/**
 * An error as it stands in a log, which people read who may not see whom it is about. Of its properties only those are kept that name nobody: the database quotes
 * the values of a row beside its message (`detail`, `where`), the driver adds parameters, and Node what it was given (`input`).
 */
export function errorInLog(error: unknown, depth = 0): ErrorInLog {
  if (!(error instanceof Error)) return { type: typeof error, message: '', stack: '' };
  const { name, message, stack = '', cause, errors } = error as Error & { errors?: unknown };
  const named = namesOf(error as unknown as Record<string, unknown>);
  return {
    type: error.constructor.name || name,
    message: unquoted(message.replace(BESIDE_THE_MESSAGE, ''), named.code ?? ''),
    ...named,
    stack: stack
      .replace(message, '')
      .split('\n')
      .filter((line) => FRAME.test(line))
      .join('\n'),
    ...(depth < DEEPEST && cause instanceof Error && { cause: errorInLog(cause, depth + 1) }),
    ...(depth < DEEPEST && Array.isArray(errors) && { errors: errors.slice(0, MOST_ERRORS).map((each) => errorInLog(each, depth + 1)) }),
  };
}

function namesOf(error: Record<string, unknown>): Pick<ErrorInLog, 'code' | 'constraint' | 'table' | 'column'> {
  const names = ['code', 'constraint', 'table', 'column'].filter((name) => typeof error[name] === 'string');
  return Object.fromEntries(names.map((name) => [name, withoutAddresses(error[name] as string)]));
}

function unquoted(message: string, code: string): string {
  const [inDouble, ...others] = QUOTED as [RegExp, ...RegExp[]];
  const doubled = WRONG_STATEMENT.test(code)
    ? message.replace(IN_DOUBLE_QUOTES, (quoted, word: string) => (IDENTIFIER.test(word) ? quoted : '"…"'))
    : message.replace(inDouble, '"…"');
  return withoutAddresses(others.reduce((text, quoted) => text.replace(quoted, (found) => `${found[0]}…${found[0]}`), doubled));
}
