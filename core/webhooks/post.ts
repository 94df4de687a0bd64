import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { addressIn, InsideError, isOutside, lookupOutside } from './outside.ts';

/** What became of one attempt. */
export interface Posted {
  /** Null when no answer came. */
  status: number | null;
  /** Why not, in words of ours: what the other side answers is not kept. */
  error: string;
}

const PATIENCE_MS = 10_000;

/**
 * Posts JSON to an address of somebody else's, once, over a connection of its own. Redirects are not followed, the answer's body is not read.
 * @param anywhere addresses of this network, too
 */
export function post(
  url: URL,
  body: string,
  headers: Record<string, string>,
  { anywhere, signal }: { anywhere: boolean; signal?: AbortSignal },
): Promise<Posted> {
  const address = addressIn(url);
  if (!anywhere && address !== null && !isOutside(address)) return Promise.resolve(failed(new InsideError(address)));
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? overHttps : overHttp)(
      url,
      {
        method: 'POST',
        agent: false,
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'campaign-platform',
        },
        ...(!anywhere && { lookup: lookupOutside }),
      },
      (response) => {
        const status = response.statusCode ?? null;
        resolve({ status, error: status !== null && status < 300 ? '' : `it answered ${status}` });
        request.destroy();
      },
    );
    // Also after the answer, when the connection is given up.
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(timeout.aborted ? { status: null, error: `no answer within ${PATIENCE_MS / 1000} s` } : failed(error)),
    );
    request.end(body);
  });
}

const failed = (error: NodeJS.ErrnoException): Posted => ({
  status: null,
  error: error instanceof InsideError ? error.message : `the connection failed${error.code ? ` (${error.code})` : ''}`,
});
