import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Env } from './env.ts';
import { type TemporalConnection, temporalConnection } from './temporal.ts';

/** With less of its life left than this, a certificate should have been followed by another. */
const LATE = 0.1;

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

/** A file may have been written whose partner has not. */
function readPair({ crt, key }: { crt: Buffer; key: Buffer }): X509Certificate {
  const certificate = new X509Certificate(crt);
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error('TEMPORAL_TLS_CLIENT_KEY_PATH is of another certificate');
  return certificate;
}
