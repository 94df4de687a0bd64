import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { retryAfter } from '../../domain/retry-after.ts';
import { whyNotConnected } from '../not-connected.ts';
import { readAtMost } from '../read-at-most.ts';
import { addressIn, InsideError, isOutside, lookupOutside } from './outside.ts';

/** What became of one attempt. */
export interface Posted {
  /** Null when no answer came. */
  status: number | null;
  /** Why not, in words of ours: what the other side answers is not kept. */
  error: string;
  /** For so many seconds it asks to be left alone. */
  waitSeconds?: number | null;
}

const PATIENCE_MS = 10_000;
/** What is read until an answer's head is: that itself has 16 KB at most. */
const MOST_READ = 64 * 1024;

/** What is asked of somebody else's server. */
interface Asked {
  method: 'POST' | 'GET';
  headers: Record<string, string>;
  body?: string;
  /** From which status on an answer is a refusal. */
  refusedFrom: number;
  patienceMs: number;
}

interface How {
  /** Addresses of this network, too. */
  anywhere: boolean;
  signal?: AbortSignal;
}

/** Posts JSON to an address of somebody else's, once. */
export const post = (url: URL, body: string, headers: Record<string, string>, how: How): Promise<Posted> =>
  ask(
    url,
    {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
      body,
      refusedFrom: 300,
      patienceMs: PATIENCE_MS,
    },
    how,
  );

/** Asks an address of somebody else's, once, over a connection of its own. Redirects are not followed, the answer's body is not read. */
export function ask(url: URL, { method, headers, body, refusedFrom, patienceMs }: Asked, { anywhere, signal }: How): Promise<Posted> {
  const address = addressIn(url);
  if (!anywhere && address !== null && !isOutside(address)) return Promise.resolve(failed(new InsideError(address)));
  const timeout = AbortSignal.timeout(patienceMs);
  const givenUp = signal ? AbortSignal.any([timeout, signal]) : timeout;
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? overHttps : overHttp)(
      url,
      {
        method,
        agent: false,
        signal: givenUp,
        headers: { ...headers, 'user-agent': 'campaign-platform' },
        ...(!anywhere && { lookup: lookupOutside(givenUp) }),
      },
      (response) => {
        const status = response.statusCode ?? null;
        const waitSeconds = retryAfter(response.headers['retry-after'], response.headers.date);
        resolve({ status, error: status !== null && status < refusedFrom ? '' : `it answered ${status}`, waitSeconds });
        request.destroy();
      },
    );
    readAtMost(request, MOST_READ, () => new EndlessError());
    // A server that wants to speak something else now answers so, and then Node says no more than that the connection is closed.
    request.on('close', () => resolve({ status: null, error: 'the connection was closed without an answer' }));
    // Also after the answer, when the connection is given up.
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(timeout.aborted ? { status: null, error: `no answer within ${patienceMs / 1000} s` } : failed(error)),
    );
    request.end(body);
  });
}

class EndlessError extends Error {
  constructor() {
    super(`${MOST_READ} bytes came, and no answer`);
  }
}

const failed = (error: NodeJS.ErrnoException): Posted => ({
  status: null,
  error: error instanceof InsideError || error instanceof EndlessError ? error.message : whyNotConnected(error),
});
