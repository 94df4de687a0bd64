/** Where the relay is and how to talk to it. */
export interface RelayAddress {
  host: string;
  port: number;
  /** `always`: TLS from the first byte (smtps). `required`, `offered`, `never`: what to do about STARTTLS. */
  tls: 'always' | 'required' | 'offered' | 'never';
  /** Whether the relay's certificate has to be right. */
  verify: boolean;
  credentials: { user: string; password: string } | null;
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);

/**
 * Reads SMTP_URL: `smtp://user:password@host:port`, `smtps://…`, with `?requireTLS=true|false`, `?ignoreTLS=true` and
 * `?tls.rejectUnauthorized=false` where the defaults do not fit. The defaults: STARTTLS where it is offered; where there are credentials and the
 * relay is not this machine, nothing without TLS.
 * @throws Error that says what is wrong, without the password
 */
export function readRelayUrl(text: string): RelayAddress {
  if (!URL.canParse(text)) throw new Error('SMTP_URL is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') throw new Error('SMTP_URL must begin with smtp:// or smtps://');
  if (!url.hostname) throw new Error('SMTP_URL names no host');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'smtps:';
  const credentials = url.username ? { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) } : null;
  const option = (name: string) => url.searchParams.get(name);
  const required = option('requireTLS') === 'true' || (option('requireTLS') !== 'false' && credentials !== null && !isLoopback(host));
  return {
    host,
    port: url.port ? Number(url.port) : secure ? 465 : credentials ? 587 : 25,
    tls: secure ? 'always' : option('ignoreTLS') === 'true' ? 'never' : required ? 'required' : 'offered',
    verify: option('tls.rejectUnauthorized') !== 'false',
    credentials,
  };
}
