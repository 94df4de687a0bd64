import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import type { Command } from './command.ts';
import { RefusedError, table, UsageError } from './terminal.ts';
import { oneWord } from './words.ts';

interface Saved {
  short_name: string;
  name: string;
  sql: string;
  description?: string;
  dialect: string;
}

type Outcome = { short_name: string; outcome: 'imported' | 'refused'; detail: string };

/** Takes saved reports over, each for itself, and says of each whether it runs. */
const importReports: Command = async ({ rest, words, options, say }) => {
  const dialect = options.dialect ?? 'mysql';
  const reports = (await readReports(oneWord(words, 'reports import needs a file or a folder'))).map((each) => savedOf(each, dialect));
  if (!reports.length) throw new RefusedError('There are no reports in it.');
  const outcomes: Outcome[] = [];
  for (const report of reports) outcomes.push(await take(report));
  say(outcomes, () =>
    table(
      ['report', 'outcome', 'why'],
      outcomes.map(({ short_name, outcome, detail }) => [short_name, outcome, detail]),
    ),
  );

  async function take(report: Saved): Promise<Outcome> {
    try {
      await rest.send('/rest/v1/queryreport/', report);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return { short_name: report.short_name, outcome: 'refused', detail: error.message };
    }
    return { short_name: report.short_name, outcome: 'imported', detail: await whetherItRuns(report) };
  }

  /** With parameters it is known to be readable; without, it is run. */
  async function whetherItRuns({ short_name }: Saved): Promise<string> {
    try {
      await rest.send(`/rest/v1/report/run/${encodeURIComponent(short_name)}/`, { refresh: '1' });
      return 'runs';
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return /was not given/.test(error.message) ? 'can be read; it needs parameters to run' : `does not run: ${error.message}`;
    }
  }
};

/** A JSON list, one object or the answer of a collection, CSV with a line of names, or a folder of .sql files named like the reports. */
async function readReports(path: string): Promise<Record<string, unknown>[]> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new UsageError(`${path} is not there`);
  if (found.isDirectory()) {
    const files = (await readdir(path)).filter((file) => file.endsWith('.sql')).sort();
    return Promise.all(files.map(async (file) => ({ short_name: basename(file, '.sql'), sql: await readFile(join(path, file), 'utf8') })));
  }
  const text = await readFile(path, 'utf8');
  try {
    if (path.endsWith('.sql')) return [{ short_name: basename(path, '.sql'), sql: text }];
    if (path.endsWith('.csv')) return parseCsv(text, { columns: true, bom: true, skip_empty_lines: true }) as Record<string, unknown>[];
    const value = JSON.parse(text) as { objects?: unknown };
    return [value.objects ?? value].flat() as Record<string, unknown>[];
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function savedOf(given: Record<string, unknown>, dialect: string): Saved {
  const textOf = (name: string): string => (typeof given?.[name] === 'string' ? (given[name] as string) : '');
  const short_name =
    textOf('short_name') ||
    textOf('name')
      .toLowerCase()
      .replace(/[^\w.~-]+/g, '_');
  const description = textOf('description');
  return {
    short_name,
    name: textOf('name') || short_name,
    sql: textOf('sql'),
    ...(description && { description }),
    dialect: textOf('dialect') || dialect,
  };
}

export const reports = { import: importReports };
