/** What may stand behind `?` in an address, with the values that hold where not all do. */
const HEEDED: Readonly<Record<string, RegExp>> = {
  ssl: /^(true|1|0)$/,
  sslmode: /^/,
  sslrootcert: /^/,
  sslcert: /^/,
  sslkey: /^/,
  sslnegotiation: /^/,
  host: /^/,
  port: /^/,
  user: /^/,
  password: /^/,
  options: /^/,
  application_name: /^/,
  fallback_application_name: /^/,
  client_encoding: /^/,
  statement_timeout: /^/,
  lock_timeout: /^/,
  idle_in_transaction_session_timeout: /^/,
  query_timeout: /^/,
  // What else PostgreSQL's own clients know, as far as nothing is lost where it is not looked at.
  connect_timeout: /^/,
  keepalives: /^/,
  keepalives_idle: /^/,
  keepalives_interval: /^/,
  keepalives_count: /^/,
  tcp_user_timeout: /^/,
  load_balance_hosts: /^/,
  target_session_attrs: /^(any|read-write|primary)$/,
  channel_binding: /^(disable|prefer)$/,
  gssencmode: /^(disable|prefer)$/,
  sslcompression: /^0$/,
  sslsni: /^1$/,
  sslcertmode: /^(disable|allow)$/,
  ssl_min_protocol_version: /^TLSv1(\.[12])?$/,
};

/**
 * Looks at what stands behind `?`: the driver passes over names and values it does not know, so that a mistyped sslmode, or ssl=require, leaves a connection in clear.
 * @returns what is wrong with it, null where all of it is heeded; PostgreSQL's own clients refuse what they do not know, too
 */
export function whatIsUnheeded(url: URL): string | null {
  for (const [name, value] of url.searchParams) {
    const heeded = Object.hasOwn(HEEDED, name) ? HEEDED[name]! : null;
    if (heeded?.test(value)) continue;
    return heeded === null
      ? `nothing heeds ${name} behind the ?: take it out, or look at its spelling`
      : `nothing holds to ${name}=${value}: take it out; sslmode=verify-full encrypts, and looks at whom it speaks with`;
  }
  return null;
}
