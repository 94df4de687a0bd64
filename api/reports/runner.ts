import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { prepareStatement } from '../../core/reports/prepare.ts';
import { ReportsAwayError } from '../../core/reports/report-bounds.ts';
import { streamReport } from '../../core/reports/report-reader.ts';
import { reportDatabaseUrl } from '../../db/report-login.ts';
import { RequestError, UnavailableError } from '../../domain/errors.ts';
import { type ReportFormat, rowFormat } from '../../domain/reports/formats.ts';
import { type BoundStatement, MissingParameters, type Parameters } from '../../domain/reports/placeholders.ts';
import { StatementError } from '../../domain/reports/statement-error.ts';
import type { WrittenStatement } from '../../domain/reports/written.ts';
import type { ApiDeps } from '../deps.ts';
import { callerGone } from '../plugins/caller-gone.ts';
import { Slots } from '../slots.ts';
import { KeptResults } from './kept-results.ts';

/** The result of a report, as text. */
export interface ReportResult {
  content: string | Readable;
  contentType: string;
  /** Seconds since it was made, where it was kept. */
  age?: number;
}

/** Runs statements for whoever asks, within bounds that hold for all of them together: so many at a time, so long, so large. */
export class ReportRunner {
  readonly #deps: ApiDeps;
  readonly #slots: Slots;
  readonly #kept: KeptResults;

  constructor(deps: ApiDeps) {
    const { env } = deps;
    this.#deps = deps;
    this.#slots = new Slots(env.REPORT_SLOTS, env.REPORT_WAIT_MS, 'reports are running');
    this.#kept = new KeptResults(deps);
  }

  /**
   * @param field what a statement that cannot be run is told under
   * @returns null when the caller has hung up
   * @throws RequestError, UnavailableError
   */
  async run(
    request: FastifyRequest,
    bound: BoundStatement,
    { format: formatName, field }: { format: ReportFormat; field: string },
  ): Promise<ReportResult | null> {
    const { env } = this.#deps;
    const format = rowFormat(formatName);
    const { contentType } = format;
    const key = this.#kept.keyOf(request, bound, formatName);
    const known = await this.#kept.find(request, key);
    if (known) return { contentType, ...known };
    // Given before the answer has begun and after.
    const gone = callerGone(request);
    let release = () => {};
    // A place is taken for as long as the server is at work: what it cannot interrupt would fill all its connections, one after another.
    const ended = Promise.withResolvers<void>();
    try {
      // Asked before there is a place that only a statement which was begun gives back.
      const wentBefore = await this.#kept.begin(key);
      release = await this.#slots.take(request.account?.id ?? 0, gone);
      const began = performance.now();
      const { text } = await streamReport(bound, format, {
        reportDatabaseUrl: reportDatabaseUrl(env),
        timeoutMs: env.STATEMENT_TIMEOUT_MS,
        maxRows: env.REPORT_MAX_ROWS,
        maxMb: env.REPORT_MAX_MB,
        memoryMb: env.REPORT_MEMORY_MB,
        signal: gone,
        onEnded: ended.resolve,
      });
      text.once('close', () => ended.promise.then(release));
      const tookMs = performance.now() - began;
      return { contentType, content: this.#kept.keep(request, { key, format: formatName, text, gone: wentBefore, tookMs }) };
    } catch (error) {
      void ended.promise.then(release);
      if (gone.aborted) {
        request.log.info('the caller of a report hung up');
        return null;
      }
      if (error instanceof StatementError) throw new RequestError({ [field]: error.message });
      if (error instanceof ReportsAwayError) throw new UnavailableError(error.message, { cause: error });
      throw error;
    }
  }
}

const runners = new WeakMap<ApiDeps, ReportRunner>();

/** The one of this API: what runs reports shares its bounds. */
export function reportRunner(deps: ApiDeps): ReportRunner {
  const runner = runners.get(deps) ?? new ReportRunner(deps);
  runners.set(deps, runner);
  return runner;
}

/** The statement with its values bound, checked. @throws RequestError under the missing parameters, or under `field` */
export async function prepare(
  statement: WrittenStatement,
  parameters: Parameters,
  { field, account }: { field: string; account: number | undefined },
): Promise<BoundStatement> {
  try {
    return await prepareStatement(statement, parameters, account);
  } catch (error) {
    if (error instanceof MissingParameters) {
      throw new RequestError(
        Object.fromEntries(error.names.map((name) => [name, `The parameter ${name} is used in the SQL and was not given.`])),
      );
    }
    if (error instanceof StatementError) throw new RequestError({ [field]: error.message });
    throw error;
  }
}
