// One run of a statement: each message of the server may end it.

import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { BackendMessages, MessageTooLongError, readColumns, readError } from '../../db/backend-messages.ts';
import { cancelStatement } from '../../db/cancel-request.ts';
import type { Client } from '../../db/driver.ts';
import type { Column, RowWriter } from '../../domain/reports/formats.ts';
import { OutBytes } from '../../domain/reports/out-bytes.ts';
import type { BoundStatement } from '../../domain/reports/placeholders.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import { failureOf, type ReportReading, ReportsAwayError, tooLarge, tooLong } from './report-bounds.ts';
import { limitMemory, watchMemory } from './report-memory.ts';

/** So much is read before the first byte is given out: errors up to there can still be answered properly. */
const HELD = 256 * 1024;
const CHUNK = 32 * 1024;
/** The caller's clock, for readers so slow that the server's own time limit cannot reach the statement. */
const GRACE_MS = 2_000;
const MEGABYTE = 1024 * 1024;
/** Beyond what a statement may take of the server's memory, before the kernel refuses it more. */
const LEAP_MB = 16;
/** PostgreSQL that runs out of memory writes the first 100 bytes of the statement into its log, which is no place for what it says of people. */
const UNSEEN = ' '.repeat(100);
/** The largest row: it is put together in memory, here and there. */
const LARGEST_ROW_MB = 16;

/** What of the driver's connection is used here: it has logged in and speaks the protocol; the answer is read without it. */
interface Wire {
  stream: Socket;
  parse(message: { name: string; text: string; types: number[] }): void;
  bind(message: { portal: string; statement: string; values: string[]; binary: boolean; valueMapper: (value: string) => string }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal: string; rows: number }): void;
  sync(): void;
  end(): void;
}

/** A statement under way on a connection of its own, and the text it gives. */
export class ReportRun {
  rows = 0;
  readonly text: Readable;
  #given = 0;
  #unwatch = () => {};
  #client: Client;
  #format: RowWriter;
  #reading: ReportReading;
  #out = new OutBytes();
  #columns: Column[] = [];
  #over = false;
  #flowing = false;
  /** Whoever reads the text has enough for now. */
  #full = false;
  /** Others have their turn. */
  #resting = false;
  #ready = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout;
  #abort = () => this.#fail(this.#reading.signal?.reason ?? new Error('aborted'));

  constructor(client: Client, format: RowWriter, reading: ReportReading) {
    this.#client = client;
    this.#format = format;
    this.#reading = reading;
    this.text = new Readable({
      highWaterMark: HELD,
      read: () => {
        this.#full = false;
        this.#goOn();
      },
      destroy: (error, done) => {
        this.#end();
        done(error);
      },
    });
    // Between the first byte and its reader taking hold there is nobody else to hear of an error; nor of a hang-up before there is anything to wait for.
    this.text.on('error', () => undefined);
    this.#ready.promise.catch(() => undefined);
    this.#timer = setTimeout(() => this.#fail(tooLong(reading)), reading.timeoutMs + GRACE_MS);
    reading.signal?.addEventListener('abort', this.#abort, { once: true });
  }

  get #wire(): Wire {
    return (this.#client as unknown as { connection: Wire }).connection;
  }

  /** Resolves when there is something to give out or nothing more will come. */
  async begin({ text, values }: BoundStatement): Promise<void> {
    const wire = this.#wire;
    const { memoryMb } = this.#reading;
    if (memoryMb !== undefined) {
      // What grows step by step is told by the watch; what leaps over it in between, or grows while this process is busy, comes to the limit.
      await limitMemory(this.#client, (memoryMb + LEAP_MB) * MEGABYTE);
      this.#unwatch = watchMemory(this.#client, memoryMb * MEGABYTE, () => this.#fail(tooLarge(this.#reading)));
    }
    // Called off meanwhile.
    if (this.#over) {
      this.#unwatch();
      return this.#ready.promise;
    }
    const messages = new BackendMessages(LARGEST_ROW_MB * MEGABYTE);
    wire.stream.removeAllListeners('data');
    wire.stream.on('data', (chunk: Buffer) => {
      try {
        messages.read(chunk, (letter, data, from, to) => {
          if (!this.#over) this.#hear(letter, data, from, to);
        });
      } catch (error) {
        // Nobody else would hear of it.
        this.#fail(
          error instanceof MessageTooLongError ? new StatementError(`A row is larger than ${LARGEST_ROW_MB} MB.`) : (error as Error),
        );
      }
      if (!this.#over && this.#out.length >= (this.#flowing ? CHUNK : HELD)) this.#give();
      if (!this.#over) this.#letOthers();
    });
    this.#client.on('end', () => this.#fail(new ReportsAwayError('The connection was lost.')));
    wire.parse({ name: '', text: UNSEEN + text, types: [] });
    wire.bind({ portal: '', statement: '', values, binary: false, valueMapper: (value) => value });
    wire.describe({ type: 'P', name: '' });
    wire.execute({ portal: '', rows: 0 });
    wire.sync();
    await this.#ready.promise;
  }

  /**
   * Has the event loop look after everybody else before it goes on reading: of a connection on which there is always more it takes two megabytes at a time,
   * and a request that needs ten turns would wait for each of them.
   */
  #letOthers(): void {
    if (this.#resting) return;
    this.#resting = true;
    this.#wire.stream.pause();
    setImmediate(() => {
      this.#resting = false;
      this.#goOn();
    });
  }

  #goOn(): void {
    if (!this.#over && !this.#full && !this.#resting) this.#wire.stream.resume();
  }

  #hear(letter: number, data: Buffer, from: number, to: number): void {
    if (letter === MESSAGE.dataRow) this.#take(data, from);
    else if (letter === MESSAGE.rowDescription) this.#columns = readColumns(data, from);
    else if (letter === MESSAGE.errorResponse) this.#fail(failureOf(readError(data, from, to), this.#reading), true);
    else if (letter === MESSAGE.readyForQuery) this.#finish();
  }

  #take(data: Buffer, at: number): void {
    if (this.rows === 0) this.#format.begin(this.#out, this.#columns);
    if (this.rows === this.#reading.maxRows) {
      this.#fail(new StatementError(`The statement gives more than ${this.#reading.maxRows} rows.`));
      return;
    }
    this.#format.row(this.#out, data, at, this.rows++);
  }

  #give(): void {
    const { maxMb = Number.POSITIVE_INFINITY } = this.#reading;
    this.#given += this.#out.length;
    if (this.#given > maxMb * MEGABYTE) {
      this.#fail(new StatementError(`The result is larger than ${maxMb} MB.`));
      return;
    }
    this.#flowing = true;
    this.#full = !this.text.push(this.#out.take());
    this.#ready.resolve();
  }

  #finish(): void {
    if (this.rows === 0) this.#format.begin(this.#out, this.#columns);
    this.#format.end(this.#out);
    this.#give();
    if (this.#over) return;
    this.text.push(null);
    this.#end(true);
  }

  #fail(error: Error, ended = false): void {
    if (this.#over) return;
    this.#end(ended);
    this.#ready.reject(error);
    // Late: whoever reads must not take what came so far for the whole.
    if (this.#flowing) this.text.destroy(error);
  }

  /** @param ended whether the server has ended the statement */
  #end(ended = false): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#unwatch();
    this.#reading.signal?.removeEventListener('abort', this.#abort);
    const { stream } = this.#wire;
    if (ended) return void stream.destroy();
    cancelStatement(this.#client);
    // Some functions of the server look at nothing until they are done. So the connection lasts until the server lets go of it: by that it is known how many are at work.
    stream.removeAllListeners('data');
    stream.resume();
    stream.unref();
    this.#wire.end();
  }
}

const MESSAGE = { dataRow: 0x44, rowDescription: 0x54, errorResponse: 0x45, readyForQuery: 0x5a } as const;
