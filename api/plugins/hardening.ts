import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { askedPath, isOfApi } from './asked-path.ts';

/**
 * What Fastify is built with against callers that are slow, endless or not HTTP at all.
 * @param seconds REQUEST_TIMEOUT_SECONDS
 * @param headersOf those of an answer with this status to what could not be read
 */
export const limits = (seconds: number, headersOf: (status: number) => Record<string, string>) => ({
  requestTimeout: seconds * 1000,
  keepAliveTimeout: 72_000,
  http: { headersTimeout: Math.min(seconds, 60) * 1000 },
  clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => answerUnreadable(error, socket, headersOf),
});

const HEARD_OUT_MS = 5_000;

const UNREADABLE: Record<string, [status: string, field: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'headers', 'The address and the headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request', 'The request did not arrive in time.'],
};

/** What could not be read as a request is answered in the shape of every other error, and the connection ends. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket, headersOf: (status: number) => Record<string, string>): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error);
  const [status, field, message] = UNREADABLE[error.code ?? ''] ?? ['400 Bad Request', 'request', 'This is not HTTP.'];
  const body = JSON.stringify({ errors: { [field]: [message] } });
  const headers = {
    ...headersOf(Number.parseInt(status, 10)),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
  hearOut(socket);
}

/** Reads and drops what still comes for a while: closed on it, the connection would take the answer back. */
function hearOut(socket: Socket): void {
  // Its reader has failed, and would once more at all that comes.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  const timer = setTimeout(() => socket.destroy(), HEARD_OUT_MS);
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Headers every answer has; pages add their own policies.
 * @returns those of an answer to a request; null is one that could not be read
 */
export function securityHeaders(baseUrl: string): (request: FastifyRequest | null) => Record<string, string> {
  const everywhere = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // Only where it is true: a browser remembers it for a year.
    ...(baseUrl.startsWith('https://') && { 'strict-transport-security': 'max-age=31536000' }),
  };
  // What the API answers is data about people, and what is measured is for operators: no page, and not for anybody's cache.
  const api = {
    ...everywhere,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  };
  return (request) => (!request || isOfApi(request) || askedPath(request) === '/metrics' ? api : everywhere);
}

export function installSecurityHeaders(app: FastifyInstance, headersOf: (request: FastifyRequest) => Record<string, string>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOf(request));
    done();
  });
}
