import { Readable } from 'node:stream';
import pg from 'pg';
import type { Column, RowFormat } from '../domain/reports/formats.ts';
import type { BoundStatement } from '../domain/reports/placeholders.ts';
import { StatementError } from '../domain/reports/statement.ts';

export interface ReportReading {
  /** Login of the restricted role. */
  reportDatabaseUrl: string;
  /** Longest the statement may run, reading of its rows by the caller included, in ms. */
  timeoutMs: number;
  maxRows: number;
  /** Ends the statement on the server. */
  signal?: AbortSignal;
}

/** The database has no connection for a report just now. */
export class ReportsAwayError extends Error {}

/** So much is read before the first byte is given out: errors up to there can still be answered properly. */
const HELD = 256 * 1024;
const CHUNK = 32 * 1024;
/** The caller's clock, for readers so slow that the server's own time limit cannot reach the statement. */
const GRACE_MS = 2_000;

/**
 * Runs a statement under the restricted login, on a connection of its own, and gives its rows as text. One execution of the extended protocol: the
 * time limit is armed before it starts and covers all of it, where every FETCH of a cursor would get a new one that the statement itself could
 * lift. Memory stays flat all the same: while nobody reads, nothing is taken off the socket.
 * @returns the text and, once it has ended, how many rows there were; the stream is destroyed with an error when the statement fails late
 * @throws StatementError when it fails, takes too long or gives too much before `HELD` bytes; ReportsAwayError; the signal's reason
 */
export async function streamReport(
  statement: BoundStatement,
  format: RowFormat,
  reading: ReportReading,
): Promise<{ text: Readable; rows: () => number }> {
  const client = new pg.Client({
    connectionString: reading.reportDatabaseUrl,
    application_name: 'campaign-report',
    connectionTimeoutMillis: 10_000,
    statement_timeout: reading.timeoutMs,
    options: `-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c default_transaction_read_only=on -c client_connection_check_interval=2000`,
    types: { getTypeParser: () => (value: unknown) => value },
  });
  client.on('error', () => undefined);
  reading.signal?.throwIfAborted();
  await client.connect().catch((error: Error) => {
    throw new ReportsAwayError('The database has no connection for a report.', { cause: error });
  });
  if (reading.signal?.aborted) {
    // Called off while we were connecting.
    client.end().catch(() => undefined);
    throw reading.signal.reason;
  }
  const run = new ReportRun(client, format, reading);
  await run.begin(statement);
  return { text: run.text, rows: () => run.rows };
}

class ReportRun {
  rows = 0;
  readonly text: Readable;
  #client: pg.Client;
  #format: RowFormat;
  #reading: ReportReading;
  #held = '';
  #over = false;
  #flowing = false;
  #ready = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout;
  #abort = () => this.#fail(this.#reading.signal?.reason ?? new Error('aborted'));

  constructor(client: pg.Client, format: RowFormat, reading: ReportReading) {
    this.#client = client;
    this.#format = format;
    this.#reading = reading;
    this.text = new Readable({
      highWaterMark: HELD,
      read: () => this.#socket.resume(),
      destroy: (error, done) => {
        this.#end();
        done(error);
      },
    });
    // Between the first byte and its reader taking hold there is nobody else to hear of an error.
    this.text.on('error', () => undefined);
    this.#timer = setTimeout(() => this.#fail(tooLong(reading)), reading.timeoutMs + GRACE_MS);
    reading.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  get #socket() {
    return (this.#client as unknown as { connection: { stream: Readable } }).connection.stream;
  }

  /** Resolves when there is something to give out or nothing more will come. */
  async begin(statement: BoundStatement): Promise<void> {
    const query = new pg.Query({ ...statement, rowMode: 'array', queryMode: 'extended' } as pg.QueryConfig);
    query.on('row', (row, result) => this.#take(row as never, result?.fields ?? []));
    query.on('error', (error: Error) => this.#fail(this.#explained(error)));
    query.on('end', (result) => this.#finish((result as unknown as { fields: pg.FieldDef[] }).fields));
    this.#client.on('end', () => this.#fail(new ReportsAwayError('The connection was lost.')));
    this.#client.query(query);
    await this.#ready.promise;
  }

  #take(row: (string | null)[], fields: pg.FieldDef[]): void {
    if (this.#over) return;
    if (this.rows === 0) this.#held = this.#format.begin(columnsOf(fields));
    if (this.rows === this.#reading.maxRows) {
      this.#fail(new StatementError(`The statement gives more than ${this.#reading.maxRows} rows.`));
      return;
    }
    this.#held += this.#format.row(row, this.rows++);
    if (this.#held.length >= (this.#flowing ? CHUNK : HELD)) this.#give();
  }

  #give(): void {
    this.#flowing = true;
    if (!this.text.push(this.#held)) this.#socket.pause();
    this.#held = '';
    this.#ready.resolve();
  }

  #finish(fields: pg.FieldDef[]): void {
    if (this.#over) return;
    if (this.rows === 0) this.#held = this.#format.begin(columnsOf(fields));
    this.#held += this.#format.end();
    this.#give();
    this.text.push(null);
    this.#end();
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#end();
    this.#ready.reject(error);
    // Late: whoever reads must not take what came so far for the whole.
    if (this.#flowing) this.text.destroy(error);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#reading.signal?.removeEventListener('abort', this.#abort);
    // The server notices within two seconds and ends what still runs.
    this.#socket.destroy();
  }

  #explained(error: Error): Error {
    const { code = '', message } = error as { code?: string; message: string };
    if (code === '57014') return tooLong(this.#reading);
    if (/^(53|57P|58|XX)/.test(code) || !code) return new ReportsAwayError('The database ended the report.', { cause: error });
    return new StatementError(`The statement failed: ${message}.`);
  }
}

const columnsOf = (fields: pg.FieldDef[]): Column[] => fields.map(({ name, dataTypeID }) => ({ name, oid: dataTypeID }));

const tooLong = ({ timeoutMs }: ReportReading) => new StatementError(`The statement takes longer than ${timeoutMs / 1000} seconds.`);
