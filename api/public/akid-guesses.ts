import type { FastifyRequest } from 'fastify';
import { looksLikeAkid, readAnyAkid } from '../../domain/akid.ts';
import { callerKey } from '../../domain/caller-key.ts';
import { ThrottledError } from '../../domain/errors.ts';
import { CountedMinutes } from '../plugins/counted-windows.ts';

/**
 * Wrong akids a minute from one address, after which none is looked at until the minute is over. An akid has 36 bits: one address would need two
 * thousand years for one of them. A mail program that mangles links does not reach it.
 */
const MOST_WRONG = 30;

/** Bounds how fast akids can be guessed at endpoints whose answer tells whether one is right. Callers with credentials are known, and not counted. */
export class AkidGuesses {
  #wrong = new CountedMinutes();
  #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /**
   * Before an akid is used. What does not look like one is no guess.
   * @throws ThrottledError whether or not it is right: else it could be told
   */
  check(request: Pick<FastifyRequest, 'ip' | 'account'>, text: string | null): void {
    if (request.account || text === null || !looksLikeAkid(text)) return;
    const caller = callerKey(request.ip);
    if (this.#wrong.count(caller) >= MOST_WRONG) {
      throw new ThrottledError('akid', 'Too many akids from this address that are not valid.', this.#wrong.secondsLeft(caller));
    }
    if (!readAnyAkid(this.#secret, text)) this.#wrong.add(caller);
  }
}
