import type { Env } from './env.ts';
import { type CertificateTrouble, certificateTrouble } from './temporal-certificate.ts';

/** Whether no connection to Temporal came about: its native connection and its client say it in ways of their own. */
export function isTemporalAway(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'TransportError' || /failed to connect before the deadline/i.test(error.message));
}

/** Codes of gRPC for a login that is none, or may not do that. */
const REFUSED_CODES: unknown[] = [7, 16];
/** As the native connection says the same of its first question. */
const REFUSED_NATIVE =
  /code: '(?:The caller does not have permission|The request does not have valid authentication)[^']*', message: "(.*)"/s;

/** Where Temporal answers, and will not have us: in a sentence, with the settings that lead to it. Null for every other error. */
export function whyRefused(error: Error, env: Env): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code, details } = cause as { code?: unknown; details?: unknown };
    const words = REFUSED_CODES.includes(code)
      ? (typeof details === 'string' && details) || cause.message
      : REFUSED_NATIVE.exec(cause.message)?.[1];
    if (words !== undefined) return `TEMPORAL_ADDRESS: Temporal at ${env.TEMPORAL_ADDRESS} refuses us (${words}): ${LOGIN}`;
  }
  return null;
}

/** What to do about it. */
export const LOGIN = 'look at TEMPORAL_API_KEY or TEMPORAL_TLS_CLIENT_CERT_PATH, and at what they may do in TEMPORAL_NAMESPACE';

/** In a sentence, with the setting that leads to what is wrong. @param error of which isTemporalAway */
export function whyAway(error: Error, env: Env): string {
  const { message } = error;
  const refused = whyRefused(error, env);
  if (refused) return refused;
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
