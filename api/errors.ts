import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { isCommitUncertain } from '../db/uncertain-commit.ts';
import { isDatabaseFull, isDiskAway, isDiskFull } from '../domain/disk-full.ts';
import {
  ConflictError,
  CredentialsError,
  CrmMapError,
  InputError,
  NotFoundError,
  PermissionError,
  PushError,
  RequestError,
  StaleVersionError,
  ThrottledError,
  UnavailableError,
  UnknownListError,
  UnknownPageError,
} from '../domain/errors.ts';
import { wrongType } from './plugins/bodies.ts';

// The one place that knows the status and the body of each error.

const RETRY_SECONDS = 5;

interface Answer {
  status: number;
  body?: unknown;
  /** Of a 503: the sentence in its body. */
  why?: string;
  headers?: Record<string, string>;
}

/**
 * What to answer to an error.
 * @param resource name of the plain resource the route belongs to, whose messages stand under that name
 * @param baseUrl of this service, for Location
 * @returns null for what nobody foresaw: an internal error
 */
export function answerTo(error: unknown, resource: string | undefined, baseUrl: string): Answer | null {
  if (error instanceof RequestError) return { status: 400, body: { errors: error.fields } };
  if (error instanceof InputError) return { status: 400, body: { [resource ?? 'errors']: error.fields } };
  if (error instanceof UnknownPageError) return { status: 400, body: { page: error.message } };
  if (error instanceof CrmMapError) {
    const body = { errors: { crmmap: error.message } };
    return error.holder ? { status: 409, body, headers: { location: baseUrl + error.holder } } : { status: 400, body };
  }
  if (error instanceof PushError) return { status: 400, body: error.body };
  if (error instanceof UnknownListError) return { status: 400, body: { errors: error.message } };
  if (error instanceof NotFoundError) return { status: 404 };
  if (error instanceof PermissionError) return { status: 403, body: { errors: { permission: [error.message] } } };
  if (error instanceof StaleVersionError) return { status: 409, body: { errors: { targeting_version: [error.message] } } };
  if (error instanceof ConflictError) {
    const headers = error.holder ? { location: baseUrl + error.holder } : undefined;
    return { status: 409, body: { errors: { [error.field]: [error.message] } }, headers };
  }
  if (error instanceof CredentialsError) return { status: 401, headers: { 'www-authenticate': 'Basic realm="campaign-platform"' } };
  if (error instanceof ThrottledError) {
    return { status: 429, body: { errors: { [error.field]: [error.message] } }, headers: { 'retry-after': String(error.seconds) } };
  }
  // The caller hung up: nobody reads this.
  if ((error as Error).name === 'AbortError') return { status: 499 };
  if (error instanceof UnavailableError) return unavailable(error.message);
  if (isCommitUncertain(error))
    return unavailable('The database was lost while the change was being made, or did not confirm it; it may have been made.');
  if (isDiskFull(error)) return unavailable('There is no room left on the disk; nothing was changed.');
  if (isDiskAway(error)) return unavailable('The disk of this server cannot be written to or read; nothing was changed.');
  if (isOutOfFiles(error)) return unavailable('This server has as many files and connections open as it may; nothing was changed.');
  return answerToDatabase(error as DatabaseError) ?? answerToFramework(error as FastifyError);
}

function unavailable(message: string): Answer {
  return { status: 503, body: { errors: { service: [message] } }, why: message, headers: { 'retry-after': String(RETRY_SECONDS) } };
}

/** As the driver throws it, or as the ORM passes it on with the same properties. */
interface DatabaseError extends Error {
  code?: string;
  syscall?: string;
  column?: string;
  constraint?: string;
}

const AWAY_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|ECONNABORTED|EAI_AGAIN|08...|57P0.|57014|53...|55000|3D000|28...|25006|25P03|25P04|55P03|40001|40P01|58030)$/;
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool)/;
/** Data exceptions, constraint violations and sizes past the server's limits: the caller's doing, whatever check of ours let it through. */
const REFUSED_CODES = /^(22...|23...|540..)$/;

const NO_CONNECTION_LEFT = '53300';
/** Of a pool (db/pool.ts) none of whose connections came free in time. */
const ALL_BUSY = 'timeout exceeded when trying to connect';
const READ_ONLY = '25006';
/** The disk of the database. */
const DISK_FAILS = '58030';
/** A statement, a wait or a transaction was ended by a time limit, the operator's or ours, or by hand: the database is there. */
const ENDED_EARLY = /^(57014|55P03|25P04)$/;

/** This machine lets nobody of ours get there. */
const isKeptAway = ({ code, syscall }: DatabaseError): boolean => syscall === 'connect' && /^(EACCES|EPERM)$/.test(code ?? '');

/** By the limit of the process, or the system's: there is none left for another connection, nor for a file. */
const isOutOfFiles = (error: unknown): boolean => /^(EMFILE|ENFILE)$/.test((error as DatabaseError).code ?? '');

export function isDatabaseAway(error: unknown): boolean {
  const { code, message } = error as DatabaseError;
  return isOutOfFiles(error) || isKeptAway(error as DatabaseError) || AWAY_CODES.test(code ?? '') || AWAY_MESSAGES.test(message ?? '');
}

function answerToDatabase(error: DatabaseError): Answer | null {
  if (isDatabaseFull(error)) return unavailable('There is no room left on the disk of the database; nothing was changed.');
  if (error.code === NO_CONNECTION_LEFT)
    return unavailable('The database has no connection left, by its limits or those of the login; nothing was changed.');
  if (error.message === ALL_BUSY) return unavailable('All connections of this process to the database are busy; nothing was changed.');
  if (error.code === READ_ONLY) return unavailable('The database takes no changes; nothing was changed.');
  if (error.code === DISK_FAILS) return unavailable('The disk of the database fails; nothing was changed.');
  if (ENDED_EARLY.test(error.code ?? ''))
    return unavailable('The database did not do this in time; nothing was changed. Something may hold what was to be read or changed.');
  if (isDatabaseAway(error)) return unavailable('The database cannot be reached; nothing was changed.');
  if (!REFUSED_CODES.test(error.code ?? '')) return null;
  return { status: 400, body: { errors: { [error.column ?? 'body']: ['A value cannot be stored.'] } } };
}

const FRAMEWORK_MESSAGES: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large.',
  Z_DATA_ERROR: 'This is not gzip.',
  Z_BUF_ERROR: 'The gzip is cut off.',
};

function answerToFramework(error: FastifyError): Answer | null {
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return null;
  const keeps = status === 413 || status === 415 || status === 429;
  return { status: keeps ? status : 400, body: { errors: { body: [FRAMEWORK_MESSAGES[error.code] ?? error.message] } } };
}

/** Installs the error handler of every route. */
export function answerErrors(app: FastifyInstance, baseUrl: () => string): void {
  app.setErrorHandler((error, request, reply) => {
    const untyped = (error as FastifyError).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE';
    const answer = answerTo(untyped ? wrongType(request) : error, request.routeOptions.config?.resource, baseUrl());
    if (!answer) request.log.error({ err: error }, 'a request failed in a way nobody foresaw');
    if (answer?.why) app.unavailable.note(answer.why, error as Error);
    sendAnswer(reply, answer ?? { status: 500, body: { errors: { service: ['An internal error; it has been logged.'] } } });
  });
}

function sendAnswer(reply: FastifyReply, { status, body, headers = {} }: Answer): void {
  reply.code(status).headers(headers);
  if (body === undefined) reply.send();
  else
    reply
      .type('application/json; charset=utf-8')
      .serializer((it: string) => it)
      .send(JSON.stringify(body));
}

/** For an address that cannot be decoded: no route is found for it, and no hook runs. */
export function answerFrameworkError(error: FastifyError, reply: FastifyReply, headers: Record<string, string>): void {
  sendAnswer(reply, { status: 400, body: { errors: { path: [error.message] } }, headers });
}
