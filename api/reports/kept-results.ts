import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { goneSoFar } from '../../core/people/who-went.ts';
import { cacheKey, findCached, keepCached } from '../../core/reports/report-cache.ts';
import { sqlOn } from '../../db/sql.ts';
import type { BoundStatement } from '../../domain/reports/placeholders.ts';
import type { ApiDeps } from '../deps.ts';
import { wantsRefresh } from './parameters.ts';

const MEGABYTE = 1024 * 1024;
/** One result takes at most this share of the room for all. */
const LARGEST_SHARE = 0.1;

/** Results that took long are kept, and given to who asks for the same again within REPORT_CACHE_SECONDS, unless they say `refresh`. */
export class KeptResults {
  readonly #deps: ApiDeps;

  constructor(deps: ApiDeps) {
    this.#deps = deps;
  }

  /** What names the result of this request; null when nothing is kept. */
  keyOf({ account }: FastifyRequest, { text, values, dialect }: BoundStatement, format: string): string | null {
    const { REPORT_CACHE_SECONDS: seconds, REPORT_CACHE_MB: room, SECRET_KEY: secret } = this.#deps.env;
    if (seconds === 0 || room === 0) return null;
    return cacheKey(secret, { dialect, text, values, format, grants: account?.isSuperuser ? ['superuser'] : [...(account?.grants ?? [])] });
  }

  async find(request: FastifyRequest, key: string | null): Promise<{ content: string; age: number } | null> {
    if (key === null || wantsRefresh(request)) return null;
    return findCached(this.#deps.pool, key, this.#deps.env.REPORT_CACHE_SECONDS);
  }

  /** To be asked before a result is begun that may be kept. */
  async begin(key: string | null): Promise<string | null> {
    return key === null ? null : goneSoFar(sqlOn(this.#deps.pool));
  }

  /**
   * `text` itself when it came fast; else the same text, which is kept once it has come to its end.
   * @param gone of `begin`
   * @param tookMs until its beginning was there
   */
  keep(
    request: FastifyRequest,
    { key, format, text, gone, tookMs }: { key: string | null; format: string; text: Readable; gone: string | null; tookMs: number },
  ): Readable {
    const { pool, env } = this.#deps;
    if (key === null || gone === null || tookMs < env.REPORT_CACHE_AFTER_MS) return text;
    const room = env.REPORT_CACHE_MB * MEGABYTE;
    return Readable.from(
      collecting(text, room * LARGEST_SHARE, (content) => {
        keepCached(pool, { key, format, content, gone }, room).catch((error: Error) => {
          request.log.warn({ error: error.message }, 'the result of a report could not be kept');
        });
      }),
      { objectMode: false },
    );
  }
}

/** @param done told the whole of it at the end, unless it was longer than `limit` */
async function* collecting(text: Readable, limit: number, done: (content: string) => void): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of text as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else chunks = [];
    yield chunk;
  }
  if (size <= limit) done(Buffer.concat(chunks).toString());
}
