import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Env } from './env.ts';
import { type TemporalConnection, temporalConnection } from './temporal.ts';
import { shakeHands } from './temporal-handshake.ts';

/** With less of its life left than this, a certificate should have been followed by another. */
const LATE = 0.1;

/** What is to be said of a certificate; `over`: no new connection to Temporal comes about with it. */
export interface CertificateTrouble {
  over: boolean;
  /** When it runs out, or did. */
  at: string;
  /** With the setting that leads to it. */
  words: string;
}

/** @returns null without a certificate of ours, and while it is good for a while. @throws Error when it cannot be read, or the key is of another */
export function certificateTrouble(env: Env, { tls }: TemporalConnection = temporalConnection(env)): CertificateTrouble | null {
  if (!tls?.clientCertPair) return null;
  return troubleWith(
    readPair(tls.clientCertPair),
    `TEMPORAL_TLS_CLIENT_CERT_PATH: the certificate in ${env.TEMPORAL_TLS_CLIENT_CERT_PATH}`,
  );
}

/** Of the certificate that Temporal itself shows. @returns null without TLS, while it is good for a while, and when none was seen */
export async function theirCertificateTrouble(place: TemporalConnection): Promise<CertificateTrouble | null> {
  const certificate = (await shakeHands(place))?.certificate;
  return certificate ? troubleWith(certificate, `TEMPORAL_ADDRESS: the certificate that Temporal shows at ${place.address}`) : null;
}

/** For anybody to read: no file, no address. @returns null when it is not a certificate that keeps us from Temporal */
export async function certificateThatRanOut(env: Env): Promise<string | null> {
  const place = temporalConnection(env);
  const ours = certificateTrouble(env, place);
  if (ours?.over) return `the certificate shown to Temporal ran out at ${ours.at}`;
  const theirs = await theirCertificateTrouble(place);
  return theirs?.over ? `the certificate that Temporal shows ran out at ${theirs.at}` : null;
}

function troubleWith({ validFromDate, validToDate }: X509Certificate, which: string): CertificateTrouble | null {
  const left = validToDate.getTime() - Date.now();
  if (left > LATE * (validToDate.getTime() - validFromDate.getTime())) return null;
  const [over, at] = [left <= 0, validToDate.toISOString()];
  const [when, then] = over ? ['ran', 'any more'] : ['runs', 'then'];
  return { over, at, words: `${which} ${when} out at ${at}; no new connection to Temporal comes about with it ${then}` };
}

/** A file may have been written whose partner has not. */
function readPair({ crt, key }: { crt: Buffer; key: Buffer }): X509Certificate {
  const certificate = new X509Certificate(crt);
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error('TEMPORAL_TLS_CLIENT_KEY_PATH is of another certificate');
  return certificate;
}
