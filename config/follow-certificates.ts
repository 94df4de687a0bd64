import type { Env } from './env.ts';
import { type TemporalConnection, temporalConnection } from './temporal.ts';
import { type CertificateTrouble, certificateTrouble, theirCertificateTrouble } from './temporal-certificate.ts';

const LOOK_EVERY_MS = 5_000;
/** Temporal is asked for its own, by a connection. */
const ASK_EVERY_MS = 60_000;

type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/**
 * Looks every few seconds whether the files that settings name hold another certificate, so that a process goes on when one has run out and another was put in its place; says once
 * what is wrong with what is there, and with the certificate that Temporal shows.
 * @param renew connects anew; called again when it fails
 */
export function followCertificates(env: Env, log: Log, renew: (place: TemporalConnection) => unknown): { stop(): void } {
  const first = temporalConnection(env).tls;
  if (!first) return { stop() {} };
  let known = printOf(first);
  const [sayOurs, sayTheirs] = [once(log), once(log)];
  const lookAtOurs = async () => {
    try {
      const place = temporalConnection(env);
      const trouble = certificateTrouble(env, place);
      sayOurs(trouble);
      const print = printOf(place.tls);
      if (print !== known && !trouble?.over) {
        await renew(place);
        known = print;
        log.info({}, 'certificates for Temporal were read again: there were others in their files');
      }
    } catch (error) {
      sayOurs({ over: false, words: `certificates for Temporal could not be read again: ${(error as Error).message}` });
    }
  };
  const lookAtTheirs = async () => {
    try {
      sayTheirs(await theirCertificateTrouble(temporalConnection(env)));
    } catch {
      // Files of ours that cannot be read are said above.
    }
  };
  const timers = [
    first.clientCertPair || first.serverRootCACertificate ? repeat(lookAtOurs, LOOK_EVERY_MS) : undefined,
    repeat(lookAtTheirs, ASK_EVERY_MS),
  ];
  return {
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** At once, and then again and again, never twice at a time. */
function repeat(look: () => Promise<void>, everyMs: number): NodeJS.Timeout {
  let looking = false;
  const next = async () => {
    if (looking) return;
    looking = true;
    await look();
    looking = false;
  };
  void next();
  return setInterval(next, everyMs);
}

/** Says what there is to say when it is another thing than the last time. */
function once(log: Log): (trouble: Pick<CertificateTrouble, 'over' | 'words'> | null) => void {
  let said = '';
  return (trouble) => {
    if (trouble && trouble.words !== said) log[trouble.over ? 'error' : 'warn']({}, trouble.words);
    said = trouble?.words ?? said;
  };
}

const printOf = (tls: TemporalConnection['tls']): string =>
  [tls?.serverRootCACertificate, tls?.clientCertPair?.crt, tls?.clientCertPair?.key].map((file) => file?.toString('base64')).join();
