import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Env } from './env.ts';
import { type TemporalConnection, temporalConnection } from './temporal.ts';

const LOOK_EVERY_MS = 5_000;
/** With less of its life left than this, a certificate should have been followed by another. */
const LATE = 0.1;

type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** What is to be said of our certificate; `over`: Temporal takes no new connection with it. */
export interface CertificateTrouble {
  over: boolean;
  words: string;
}

/** @returns null without a certificate, and while it is good for a while. @throws Error when it cannot be read, or the key is of another */
export function certificateTrouble(env: Env, { tls }: TemporalConnection = temporalConnection(env)): CertificateTrouble | null {
  if (!tls?.clientCertPair) return null;
  const { validFromDate, validToDate } = readPair(tls.clientCertPair);
  const left = validToDate.getTime() - Date.now();
  if (left > LATE * (validToDate.getTime() - validFromDate.getTime())) return null;
  const [over, when] = [left <= 0, validToDate.toISOString()];
  return {
    over,
    words: `TEMPORAL_TLS_CLIENT_CERT_PATH: the certificate in ${env.TEMPORAL_TLS_CLIENT_CERT_PATH} ${over ? 'ran' : 'runs'} out at ${when}; Temporal takes no new connection with it ${over ? 'any more' : 'then'}`,
  };
}

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

/** A file may have been written whose partner has not. */
function readPair({ crt, key }: { crt: Buffer; key: Buffer }): X509Certificate {
  const certificate = new X509Certificate(crt);
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error('TEMPORAL_TLS_CLIENT_KEY_PATH is of another certificate');
  return certificate;
}

const printOf = (tls: TemporalConnection['tls']): string =>
  [tls?.serverRootCACertificate, tls?.clientCertPair?.crt, tls?.clientCertPair?.key].map((file) => file?.toString('base64')).join();
