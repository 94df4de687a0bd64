const NETWORK: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ECONNRESET: 'it ended the connection',
};

/** What the driver says when the time for a connection is over: of one by itself, of one of a pool, and of a pool that has none free. */
const SILENT = /^(timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;

/** Why a service cannot be connected to; null where the error is none of that kind. */
export function whyUnreached(error: Error): string | null {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (SILENT.test(message)) return 'it is silent';
  return syscall === 'connect' || syscall === 'getaddrinfo' ? (NETWORK[code ?? ''] ?? null) : null;
}

/** Host and port alone: the rest is a login. */
export const hostOf = (url: string | undefined): string => URL.parse(url ?? '')?.host || 'its address';
