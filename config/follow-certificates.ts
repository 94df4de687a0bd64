import type { Env } from './env.ts';
import { type TemporalConnection, temporalConnection } from './temporal.ts';
import { certificateTrouble } from './temporal-certificate.ts';

const LOOK_EVERY_MS = 5_000;

type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/**
 * Looks every few seconds whether the files that settings name hold another certificate, so that a process goes on when one has run out and another was put in its place; says once
 * what is wrong with what is there.
 * @param renew connects anew; called again when it fails
 */
export function followCertificates(env: Env, log: Log, renew: (place: TemporalConnection) => unknown): { stop(): void } {
  const first = temporalConnection(env).tls;
  if (!first?.clientCertPair && !first?.serverRootCACertificate) return { stop() {} };
  let known = printOf(first);
  let said = '';
  let looking = false;
  const say = (level: 'warn' | 'error', words: string) => {
    if (words !== said) log[level]({}, words);
    said = words;
  };
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      const place = temporalConnection(env);
      const trouble = certificateTrouble(env, place);
      if (trouble) say(trouble.over ? 'error' : 'warn', trouble.words);
      const print = printOf(place.tls);
      if (print !== known && !trouble?.over) {
        await renew(place);
        known = print;
        log.info({}, 'certificates for Temporal were read again: there were others in their files');
      }
    } catch (error) {
      say('warn', `certificates for Temporal could not be read again: ${(error as Error).message}`);
    } finally {
      looking = false;
    }
  };
  void look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

const printOf = (tls: TemporalConnection['tls']): string =>
  [tls?.serverRootCACertificate, tls?.clientCertPair?.crt, tls?.clientCertPair?.key].map((file) => file?.toString('base64')).join();
