import type { Env } from '../../config/env.ts';
import type { Pool, PoolClient } from '../../db/driver.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { type Column, type RowFormat, writerOf } from '../../domain/reports/formats.ts';
import type { Parameters } from '../../domain/reports/placeholders.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import { compileOnce } from '../../mail/compile-once.ts';
import { type MailingContent, reportKey, type WantedReport } from '../../mail/contracts.ts';
import type { ReportRow } from '../../template/contracts.ts';
import { goneSoFar, keepAllHere, nobodyWentSince } from '../people/who-went.ts';
import { prepareStatement } from '../reports/prepare.ts';
import { streamReport } from '../reports/report-reader.ts';
import { toldSince } from '../reports/told-since.ts';
import { readContent } from './content.ts';
import { mailSettings } from './mail-settings.ts';

/** Rows one report may bring into a mailing, and characters of all of them. */
const MOST_ROWS = 1000;
const MOST_CHARACTERS = 1_000_000;
/** All reports of a mailing together, well within what beginning to send may take. */
const MOST_MS = 60_000;

interface Deps {
  /** A connection, where they are read in its transaction. */
  pool: Pool | PoolClient;
  env: Env;
}

/** What the saved reports say that a mailing's templates show: read once, as the mailing begins, or for a request for proofs. */
export interface ReportValues {
  /** Why some could not be read. */
  errors: string[];
  /** The content with the values in their places. */
  put(content: MailingContent): MailingContent;
  /** Whether nobody who may stand in them has been erased since. Until the transaction `sql` runs in ends nobody is: it is to be short from here. */
  stand(sql: Sql): Promise<boolean>;
  /** What was told of them, `errors` among others, as it may be written down in the transaction `sql` runs in. */
  told(sql: Sql, reasons: string[]): Promise<string[]>;
}

/** What is said of that outside the database: the words of the statement's failure quote values, which may name people. */
export const MAILING_SAYS_WHY = 'A report that it shows cannot be read; the errors of the mailing say why.';

export const NO_VALUES: ReportValues = {
  errors: [],
  put: (content) => content,
  stand: async () => true,
  told: async (_, reasons) => reasons,
};

/**
 * Runs the reports a mailing shows, each once for each set of parameters, as the restricted role, read-only and within a time limit. Content that cannot
 * be compiled shows none: that is said elsewhere.
 * @param keep nobody is erased until the transaction of `pool`, a connection, ends
 */
export async function readReportValues(deps: Deps, mailingId: number, keep = false): Promise<ReportValues> {
  const { env, pool } = deps;
  const { content } = await readContent(pool, mailingId, env.DEFAULT_FROM);
  const allWanted = wantedBy(content, deps);
  if (allWanted.length === 0) return NO_VALUES;
  if (keep) await keepReading(sqlOn(pool));
  const gone = await goneSoFar(sqlOn(pool));
  const read: { name: string; key: string; rows: ReportRow[] }[] = [];
  const errors: string[] = [];
  const deadline = performance.now() + Math.min(env.STATEMENT_TIMEOUT_MS, MOST_MS);
  let room = MOST_CHARACTERS;
  for (const wanted of allWanted) {
    try {
      const text = await runReport(deps, wanted, Math.max(1, Math.ceil(deadline - performance.now())), room);
      room -= text.length;
      read.push({ name: wanted.name, key: reportKey(wanted.parameters), rows: JSON.parse(text) as ReportRow[] });
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      errors.push(`the report ${wanted.name} cannot be shown: ${error.message}`);
    }
  }
  return {
    errors,
    put(of) {
      const reports = structuredClone(of.reports ?? {});
      for (const { name, key, rows } of read) if (Object.hasOwn(reports, name)) reports[name]!.runs[key] = rows;
      return { ...of, reports };
    },
    stand: (sql) => nobodyWentSince(sql, gone),
    told: (sql, reasons) => toldSince(sql, gone, reasons),
  };
}

/** While reports are read the transaction has nothing to do: the server ends no such one of ours before they must be over. */
async function keepReading(sql: Sql): Promise<void> {
  await sql(`select set_config('idle_in_transaction_session_timeout', '${2 * MOST_MS}', true)`);
  await keepAllHere(sql);
}

function wantedBy(content: MailingContent, { env }: Pick<Deps, 'env'>): WantedReport[] {
  if (Object.keys(content.reports ?? {}).length === 0) return [];
  try {
    const settings = mailSettings(env);
    return compileOnce(content, settings).reports ?? [];
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

/** @returns the rows as JSON: a list of objects */
async function runReport({ pool, env }: Deps, wanted: WantedReport, timeoutMs: number, room: number) {
  const [stored] = await sqlOn(pool)<WrittenStatement>('select sql, dialect from reports_queryreport where short_name = $1', [wanted.name]);
  if (!stored) throw new StatementError('it does not exist any more');
  const statement = await prepareStatement(stored, wanted.parameters as Parameters);
  const reading = { reportDatabaseUrl: reportDatabaseUrl(env), timeoutMs, maxRows: MOST_ROWS, memoryMb: env.REPORT_MEMORY_MB };
  const report = await streamReport(statement, writerOf(rowObjects()), reading);
  let text = '';
  for await (const chunk of report.text) {
    text += chunk;
    if (text.length > room) throw new StatementError(`its rows have more than ${MOST_CHARACTERS} characters`);
  }
  return text;
}

/** Rows as JSON objects. Numbers that JavaScript holds exactly are numbers, truth values are such, all else is text as the database writes it. */
function rowObjects(): RowFormat {
  let columns: Column[] = [];
  const cellOf = (text: string, oid: number) => {
    if (oid === BOOL) return text === 't';
    return NUMBERS.has(oid) && String(Number(text)) === text ? Number(text) : text;
  };
  return {
    contentType: 'application/json',
    begin(found) {
      columns = found;
      return '[';
    },
    row: (row, index) => {
      const object = Object.fromEntries(columns.map(({ name, oid }, n) => [name, row[n] == null ? null : cellOf(row[n], oid)]));
      return `${index ? ',' : ''}${JSON.stringify(object)}`;
    },
    end: () => ']',
  };
}

const BOOL = 16;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);
