import { connect } from 'node:net';
import type { Logger } from 'pino';
import type { Env } from '../config/env.ts';
import { clockOff } from '../db/clock-off.ts';
import { isDatabaseError, newConnection } from '../db/driver.ts';
import { whyNotDurable } from '../db/durability.ts';
import { otherLetters } from '../db/letters.ts';
import { whyNotSettled } from '../db/own-login.ts';
import { whyNotPoolable } from '../db/pooler.ts';
import { whyOtherSecret } from '../db/secret-mark.ts';
import { readRelays, readRelayUrl } from '../mail/smtp/relay-url.ts';
import { plainWords } from './failure.ts';

/** How long a service may take to accept a connection before it is said to be away. */
const PATIENCE_MS = 5_000;

/** Mails that are dated in the future, or signed then, are taken for spam. */
const CLOCK_MS = 10_000;

/** Settings that lead to a service, each with what listens there. */
const SERVICES = {
  DATABASE_URL: { what: 'PostgreSQL', addresses: (url: string) => [urlAddress(url, 5432)] },
  TEMPORAL_ADDRESS: { what: 'Temporal server', addresses: (address: string) => [urlAddress(`temporal://${address}`, 7233)] },
  SMTP_URL: { what: 'relay', addresses: (url: string) => [readRelayUrl(url)] },
  SMTP_RELAYS: { what: 'relay', addresses: (urls: string) => readRelays(urls, 1).map(({ url }) => readRelayUrl(url)) },
} as const;

interface Address {
  host: string;
  port: number;
}

/**
 * Writes a line for each service that accepts no connection now. A process starts without them and goes on when they come: but who started it should hear at
 * once which setting may be wrong.
 */
export function sayWhoIsAway(env: Env, log: Logger, settings: readonly (keyof typeof SERVICES)[]): void {
  for (const setting of settings) {
    const value = env[setting];
    // With SMTP_RELAYS it is not used.
    if (!value || (setting === 'SMTP_URL' && env.SMTP_RELAYS)) continue;
    const { what, addresses } = SERVICES[setting];
    for (const { host, port } of readable(() => addresses(value))) {
      answers(host, port).then((why) => {
        if (why !== null) log.warn(`${setting}: no ${what} answers at ${host}:${port} (${why}); this process goes on when one does`);
      });
    }
  }
}

/** Writes a line for what makes a database that answers one that should not be used. One that is away is said to be by others. */
export function sayWhatIsUnsafe(env: Env, log: Logger): void {
  if (!env.DATABASE_URL) return;
  const connection = newConnection(env.DATABASE_URL, { connectionTimeoutMillis: PATIENCE_MS });
  connection.on('error', () => {});
  const ask = async () => {
    await connection.connect();
    const unpoolable = await whyNotPoolable(connection);
    if (unpoolable !== null) log.error(`DATABASE_URL: ${unpoolable}`);
    const unsettled = await whyNotSettled(connection);
    if (unsettled !== null) log.error(`DATABASE_URL: ${unsettled}; npm run migrate with that login tells it`);
    const secret = await whyOtherSecret(connection, env.SECRET_KEY);
    if (secret !== null) log.error(`${secret}; npm run migrate notes a new one`);
    const letters = await otherLetters(connection);
    if (letters?.everyday) log.error(`DATABASE_URL: ${letters.words}`);
    const { off, within } = await clockOff(connection);
    if (Math.abs(off) > CLOCK_MS + within)
      log.warn(
        `this machine's clock is ${Math.round(Math.abs(off) / 1000)} s ${off < 0 ? 'ahead of' : 'behind'} the database's: mails it sends are dated and signed by it; have both set by NTP`,
      );
    const weak = env.ALLOW_ASYNC_STANDBY ? null : await whyNotDurable(connection);
    if (weak !== null)
      log.error(
        `${weak}: after a failover people who were mailed may be mailed twice; see docs/cluster.md, or set ALLOW_ASYNC_STANDBY=true`,
      );
  };
  ask()
    .catch((error) => {
      if (isDatabaseError(error)) log.error(plainWords(error) ?? `DATABASE_URL: ${error.message}`);
    })
    .finally(() => connection.end().catch(() => {}));
}

/** What cannot be read is refused, with words, by whoever uses it. */
function readable(read: () => Address[]): Address[] {
  try {
    return read();
  } catch {
    return [];
  }
}

function urlAddress(url: string, defaultPort: number): Address {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) };
}

/** @returns null when something accepts a connection there, else why not */
function answers(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS });
    const end = (why: string | null) => {
      socket.destroy();
      resolve(why);
    };
    socket.once('connect', () => end(null));
    // It may have accepted long since, and this process have been too busy with its start to look: that is heard of first.
    socket.once('timeout', () => setImmediate(end, `nothing within ${PATIENCE_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
