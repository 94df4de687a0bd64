import type { Env } from './env.ts';
import { type CertificateTrouble, certificateTrouble } from './temporal-certificate.ts';

/** Whether no connection to Temporal came about: its native connection and its client say it in ways of their own. */
export function isTemporalAway(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'TransportError' || /failed to connect before the deadline/i.test(error.message));
}

/** In a sentence, with the setting that leads to what is wrong. @param error of which isTemporalAway */
export function whyAway({ message }: Error, env: Env): string {
  const address = env.TEMPORAL_ADDRESS;
  const [, theirs] = /InvalidCertificate\((\w+)/.exec(message) ?? [];
  if (theirs)
    return `TEMPORAL_ADDRESS: the certificate that Temporal shows at ${address} is not taken: ${theirs.startsWith('Expired') ? 'it has run out' : theirs}`;
  const ours = ourCertificate(env);
  return ours?.over ? ours.words : `TEMPORAL_ADDRESS: no Temporal server answers at ${address}`;
}

function ourCertificate(env: Env): CertificateTrouble | null {
  try {
    return certificateTrouble(env);
  } catch {
    return null;
  }
}
