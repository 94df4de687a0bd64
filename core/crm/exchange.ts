import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { ByteSink } from '../../mail/byte-sink.ts';
import { readAtMost } from '../read-at-most.ts';
import { CrmAway } from './crm.ts';

export interface Exchange {
  method: string;
  headers: Record<string, string>;
  body: string;
  /** Largest answer, in bytes. */
  limit: number;
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  text: string;
  retryAfter: string | null;
  date: string | null;
}

/** What may come beside the body, however short that may be, and as much again as is in it: heads, interim answers, sizes of chunks. */
const BESIDE = 64 * 1024;

/**
 * One request over HTTP, its answer read. Redirects are not followed. Not by `fetch`, where nothing bounds what comes beside the body.
 * @throws CrmAway where the answer is too large, or the error of the connection
 */
export function exchange(url: string, { method, headers, body, limit, signal }: Exchange): Promise<Answer> {
  const to = new URL(url);
  return new Promise((resolve, reject) => {
    const options = { method, signal, headers: { 'accept-encoding': 'identity', ...headers } };
    const request = (to.protocol === 'https:' ? overHttps : overHttp)(to, options, async (response) => {
      // Put together as it comes: kept in pieces, each of which may be a byte, it would take two hundred times what it holds.
      const held = new ByteSink();
      try {
        for await (const part of response as AsyncIterable<Buffer>) {
          // Leaving the loop ends the connection.
          if (held.length + part.byteLength > limit) throw tooLarge();
          held.bytes(part);
        }
        const { 'retry-after': retryAfter = null, date = null } = response.headers;
        resolve({ status: response.statusCode!, text: held.copy().toString('utf8'), retryAfter, date });
      } catch (error) {
        reject(error);
      }
    });
    const tooLarge = () => new CrmAway(`the answer is larger than ${limit} bytes`);
    readAtMost(request, 2 * limit + BESIDE, tooLarge);
    request.on('error', reject);
    // One that wants to speak another protocol now ends so; after an answer it changes nothing.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('it speaks another protocol'));
    });
    request.end(body);
  });
}
