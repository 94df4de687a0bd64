import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import type { Command } from './command.ts';
import type { Rest } from './rest.ts';
import { AwayError, RefusedError, table, UsageError } from './terminal.ts';
import { oneWord } from './words.ts';

interface Saved {
  short_name: string;
  name: string;
  sql: string;
  description?: string;
  dialect: string;
}

type Outcome = { short_name: string; outcome: 'imported' | 'there already' | 'refused'; detail: string };

/**
 * Takes saved reports over, each for itself, and says of each whether it runs. What is there already with the same statement is left as it is, so that one that was
 * broken off goes on when it is called again. @throws AwayError when the API goes away, after what was done is said
 */
const importReports: Command = async ({ rest, words, options, say }) => {
  const dialect = options.dialect ?? 'mysql';
  const reports = (await readReports(oneWord(words, 'reports import needs a file or a folder'))).map((each) => savedOf(each, dialect));
  if (!reports.length) throw new RefusedError('There are no reports in it.');
  const outcomes: Outcome[] = [];
  const sayAll = () =>
    say(outcomes, () =>
      table(
        ['report', 'outcome', 'why'],
        outcomes.map(({ short_name, outcome, detail }) => [short_name, outcome, detail]),
      ),
    );
  try {
    for (const report of reports) {
      const outcome = await takeOver(rest, report);
      outcomes.push(outcome);
      if (outcome.outcome === 'imported') outcome.detail = await whetherItRuns(rest, report);
    }
  } catch (error) {
    if (!(error instanceof AwayError) || !outcomes.length) throw error;
    sayAll();
    const [done, left] = [outcomes.length, reports.length - outcomes.length];
    throw new AwayError(
      `${error.message} ${done} of ${reports.length} reports are done, ${left} are left: the same command goes on with them.`,
    );
  }
  sayAll();
};

/** @throws AwayError */
async function takeOver(rest: Rest, report: Saved): Promise<Outcome> {
  const { short_name } = report;
  try {
    await rest.send('/rest/v1/queryreport/', report);
    return { short_name, outcome: 'imported', detail: 'whether it runs is not known' };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (await isThere(rest, report)) return { short_name, outcome: 'there already', detail: 'with the same statement' };
    return { short_name, outcome: 'refused', detail: error.message };
  }
}

/** @throws AwayError */
async function isThere(rest: Rest, { short_name, sql, dialect }: Saved): Promise<boolean> {
  if (!short_name) return false;
  try {
    const { objects } = await rest.get<{ objects: Saved[] }>(`/rest/v1/queryreport/?short_name=${encodeURIComponent(short_name)}`);
    return objects.some((kept) => kept.sql === sql && kept.dialect === dialect);
  } catch (error) {
    // Who may not read reports hears why theirs was refused.
    if (error instanceof RefusedError) return false;
    throw error;
  }
}

/** With parameters it is known to be readable; without, it is run. @throws AwayError */
async function whetherItRuns(rest: Rest, { short_name }: Saved): Promise<string> {
  try {
    await rest.send(`/rest/v1/report/run/${encodeURIComponent(short_name)}/`, { refresh: '1' });
    return 'runs';
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return /was not given/.test(error.message) ? 'can be read; it needs parameters to run' : `does not run: ${error.message}`;
  }
}

/** A JSON list, one object or the answer of a collection, CSV with a line of names, or a folder of .sql files named like the reports. */
async function readReports(path: string): Promise<Record<string, unknown>[]> {
  const found = await stat(path).catch(orUsage(path));
  if (found.isDirectory()) {
    const files = (await readdir(path).catch(orUsage(path))).filter((file) => file.endsWith('.sql')).sort();
    return Promise.all(files.map(async (file) => ({ short_name: basename(file, '.sql'), sql: await textOf(join(path, file)) })));
  }
  const text = await textOf(path);
  try {
    if (path.endsWith('.sql')) return [{ short_name: basename(path, '.sql'), sql: text }];
    if (path.endsWith('.csv')) return parseCsv(text, { columns: true, bom: true, skip_empty_lines: true }) as Record<string, unknown>[];
    const value = JSON.parse(text) as { objects?: unknown };
    return [value.objects ?? value].flat() as Record<string, unknown>[];
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(orUsage(path));

/** @throws UsageError in place of what the system says of a file */
const orUsage =
  (path: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw new UsageError(code === 'ENOENT' ? `${path} is not there` : `${path} cannot be read (${code})`);
  };

function savedOf(given: Record<string, unknown>, dialect: string): Saved {
  const fieldOf = (name: string): string => (typeof given?.[name] === 'string' ? (given[name] as string) : '');
  const short_name =
    fieldOf('short_name') ||
    fieldOf('name')
      .toLowerCase()
      .replace(/[^\w.~-]+/g, '_');
  const description = fieldOf('description');
  return {
    short_name,
    name: fieldOf('name') || short_name,
    sql: fieldOf('sql'),
    ...(description && { description }),
    dialect: fieldOf('dialect') || dialect,
  };
}

export const reports = { import: importReports };
