import type { Readable } from 'node:stream';
import { type Client, isDatabaseError, newConnection } from '../../db/driver.ts';
import type { RowWriter } from '../../domain/reports/formats.ts';
import type { BoundStatement } from '../../domain/reports/placeholders.ts';
import { NoConnectionError, type ReportReading } from './report-bounds.ts';
import { ReportRun } from './report-run.ts';
import { beginning } from './report-session.ts';

/**
 * Runs a statement under the restricted login, on a connection of its own, and gives its rows as text. One execution of the extended protocol: the
 * time limit is armed before it starts and covers all of it, where every FETCH of a cursor would get a new one that the statement itself could
 * lift. Memory stays flat all the same: while nobody reads, nothing is taken off the socket.
 * @returns the text and, once it has ended, how many rows there were; the stream is destroyed with an error when the statement fails late
 * @throws StatementError when it fails, takes too long or gives too much before `HELD` bytes; ReportsAwayError; the signal's reason
 */
export async function streamReport(
  statement: BoundStatement,
  format: RowWriter,
  reading: ReportReading,
): Promise<{ text: Readable; rows: () => number }> {
  if (reading.signal?.aborted) {
    reading.onEnded?.();
    throw reading.signal.reason;
  }
  const client = connectionOf(reading);
  client.on('error', () => undefined);
  client.once('end', () => reading.onEnded?.());
  await connect(client, beginning(statement, reading.timeoutMs));
  if (reading.signal?.aborted) {
    // Called off while we were connecting.
    client.end().catch(() => undefined);
    throw reading.signal.reason;
  }
  const run = new ReportRun(client, statement.dialect === 'mysql' ? inMysqlsWords(format, statement) : format, reading);
  await run.begin(statement);
  return { text: run.text, rows: () => run.rows };
}

/** @throws SettingError for an address, or a file it names, that cannot be read */
function connectionOf({ reportDatabaseUrl, onEnded }: ReportReading): Client {
  try {
    return newConnection(reportDatabaseUrl, {
      application_name: 'campaign-report',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
  } catch (error) {
    onEnded?.();
    throw error;
  }
}

/** @throws NoConnectionError with the server's own words, if it has any */
async function connect(client: Client, begin: string): Promise<void> {
  try {
    await client.connect();
    await client.query(begin);
  } catch (error) {
    client.end().catch(() => undefined);
    const words = isDatabaseError(error) ? `: ${error.message}` : '';
    throw new NoConnectionError(`The database has no connection for a report${words}.`, { cause: error });
  }
}

/** Columns under the names they were given, truth as 1 and 0. */
function inMysqlsWords(format: RowWriter, { names = {} }: BoundStatement): RowWriter {
  const nameOf = (name: string): string => (Object.hasOwn(names, name) ? names[name]! : name);
  return {
    ...format,
    begin: (out, columns) =>
      format.begin(
        out,
        columns.map(({ name, oid }) => ({ name: nameOf(name), oid })),
        { truthAsNumbers: true },
      ),
  };
}
