import { domainToASCII } from 'node:url';

/** One of the relays of SMTP_RELAYS. */
export interface RelayEntry {
  url: string;
  /** host:port, for logs and the record of its rate. */
  name: string;
  /** Its share of the mails, against the weights of the others. */
  weight: number;
  /** Per worker process. */
  connections: number;
  /** Mails per second over all workers; null is as fast as it takes them. */
  rate: number | null;
}

/**
 * Reads SMTP_RELAYS: URLs as readRelayUrl takes them, with spaces or commas between, each with `weight`, `connections` and `rate` among its parameters.
 * @throws Error that says what is wrong, without a password
 */
export function readRelays(text: string, connections: number): RelayEntry[] {
  const entries = text
    .trim()
    .split(/[\s,]+(?=smtps?:\/\/)/)
    .map((url) => readEntry(url.replace(/[\s,]+$/, ''), connections));
  const twice = entries.find(({ name }, n) => entries.findIndex((other) => other.name === name) !== n);
  if (twice) throw new Error(`${twice.name} is named twice`);
  return entries;
}

function readEntry(url: string, connections: number): RelayEntry {
  const { host, port } = readRelayUrl(url);
  const name = `${host}:${port}`;
  const given = new URL(url).searchParams;
  const number = (parameter: string, least: number, most: number): number | null => {
    const value = given.get(parameter);
    if (value === null) return null;
    const read = Number(value);
    if (!(read >= least && read <= most)) throw new Error(`${parameter} of ${name} must be a number from ${least} to ${most}`);
    return read;
  };
  return {
    url,
    name,
    weight: number('weight', 0.001, 1_000_000) ?? 1,
    connections: Math.trunc(number('connections', 1, 1000) ?? connections),
    rate: number('rate', 0.001, 1_000_000),
  };
}

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

const NO_URL = 'the address of a relay is not a URL (in its user name and password / ? # % are written %2F %3F %23 %25)';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(NO_URL);
  }
}

/** What may stand behind the `?`. The last three are those of SMTP_RELAYS. */
const OPTIONS = ['requireTLS', 'ignoreTLS', 'tls.rejectUnauthorized', 'weight', 'connections', 'rate'];

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);

/**
 * Reads SMTP_URL: `smtp://user:password@host:port`, `smtps://…`, with `?requireTLS=true|false`, `?ignoreTLS=true` and
 * `?tls.rejectUnauthorized=false` where the defaults do not fit, and nothing else. The defaults: STARTTLS where it is offered; where there are credentials and the
 * relay is not this machine, nothing without TLS.
 * @throws Error that says what is wrong, without the password
 */
export function readRelayUrl(text: string): RelayAddress {
  if (!URL.canParse(text)) throw new Error(NO_URL);
  const url = new URL(text);
  // The host stands behind the @: what seems to be one in front of it is the user name.
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) throw new Error(NO_URL);
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') throw new Error('the address of a relay must begin with smtp:// or smtps://');
  // Of names beyond ASCII, and in capitals, what name servers are asked for.
  const host = domainToASCII(decoded(url.hostname)).replace(/^\[(.*)\]$/, '$1');
  if (!host) throw new Error('the address of a relay names no host');
  const secure = url.protocol === 'smtps:';
  const credentials = url.username ? { user: decoded(url.username), password: decoded(url.password) } : null;
  // A mistyped requireTLS that went for nothing would have mail go out in clear.
  for (const name of url.searchParams.keys())
    if (!OPTIONS.includes(name)) throw new Error(`${host} takes no ${name}, only ${OPTIONS.join(', ')}`);
  const option = (name: string) => {
    const value = url.searchParams.get(name);
    // “True” or “1” that went for nothing would have mail go out in clear.
    if (value !== null && value !== 'true' && value !== 'false') throw new Error(`${name} of ${host} must be true or false`);
    return value;
  };
  const required = option('requireTLS') === 'true' || (option('requireTLS') !== 'false' && credentials !== null && !isLoopback(host));
  return {
    host,
    port: url.port ? Number(url.port) : secure ? 465 : credentials ? 587 : 25,
    tls: secure ? 'always' : option('ignoreTLS') === 'true' ? 'never' : required ? 'required' : 'offered',
    verify: option('tls.rejectUnauthorized') !== 'false',
    credentials,
  };
}
