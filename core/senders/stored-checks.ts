import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Env } from '../../config/env.ts';
import type { Pool } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import { fragment, json, run, tables } from '../../entities/tables.ts';
import { openDns } from '../../mail/sender-check/dns.ts';
import { readRelays, readRelayUrl } from '../../mail/smtp/relay-url.ts';
import { type CheckItem, checkDomain, type DomainCheck } from './check.ts';
import { listDkimKeys, signingKeyIds } from './stored-keys.ts';

type Settings = Pick<Env, 'MAIL_DOMAIN' | 'SENDING_ADDRESSES' | 'DNS_SERVERS' | 'SMTP_URL' | 'SMTP_RELAYS' | 'SMTP_CONNECTIONS'>;

/**
 * Looks at a domain as the instance is set up, and stores what was found, unless the name servers left something open, or a check that was begun later is over. One of a time to
 * come is of before the clock of the database was set back.
 */
export async function checkAndStore(pool: Pool, domain: string, env: Settings): Promise<DomainCheck> {
  const { rows } = await pool.query<{ begun: string }>('select clock_timestamp()::text as begun');
  const ids = await signingKeyIds(pool, domain);
  const check = await checkDomain(domain, {
    mailDomain: env.MAIL_DOMAIN,
    addresses: await sendingAddresses(env),
    keys: await listDkimKeys(pool, { ids }),
    dns: openDns(env.DNS_SERVERS),
  });
  if (check.items.some(({ status, required }) => status === 'unknown' && required)) return check;
  const found = {
    passed: check.passed,
    items: json<CheckItem[]>(JSON.stringify(check.items)),
    checked_at: fragment<Date>`${rows[0]!.begun}::timestamptz`,
  };
  await run(
    sqlOn(pool),
    tables
      .insertInto('sender_check')
      .values({ domain, ...found })
      .onConflict((known) =>
        known
          .column('domain')
          .doUpdateSet(found)
          .where(fragment<boolean>`sender_check.checked_at <= excluded.checked_at or sender_check.checked_at > clock_timestamp()`),
      ),
  );
  return check;
}

/** Where mail leaves from: as set, else the addresses of the relays, unless those are this house's own. */
async function sendingAddresses({ SENDING_ADDRESSES, SMTP_URL, SMTP_RELAYS, SMTP_CONNECTIONS }: Settings): Promise<string[]> {
  if (SENDING_ADDRESSES !== undefined) return SENDING_ADDRESSES.split(',').map((address) => address.trim());
  const urls = SMTP_RELAYS ? readRelays(SMTP_RELAYS, SMTP_CONNECTIONS).map(({ url }) => url) : SMTP_URL ? [SMTP_URL] : [];
  const found = await Promise.all(urls.map((url) => addressesOf(readRelayUrl(url).host)));
  return [...new Set(found.flat())].filter(
    (address) => !/^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd]|fe80)/i.test(address),
  );
}

const addressesOf = async (host: string): Promise<string[]> =>
  isIP(host) ? [host] : (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);

/**
 * Why mail must not be sent from a domain, going by its last check; null when that was passed and is recent. One of a time to come, but for one that is made
 * just now, was made before the clock of the database was set back: nobody knows how old it is.
 * @param hours how long a check holds
 */
export async function problemOfSender(
  sql: <Row extends object>(text: string, values: unknown[]) => Promise<Row[]>,
  domain: string,
  hours: number,
): Promise<string | null> {
  const [check] = await sql<{ passed: boolean; items: CheckItem[]; recent: boolean }>(
    `select passed, items, checked_at between now() - make_interval(hours => $2) and now() + interval '1 minute' as recent from sender_check where domain = $1`,
    [domain, hours],
  );
  const again = `npm run check-domain -- ${domain}`;
  if (!check?.recent) return `It has not been checked within the last ${hours} hours that ${domain} is set up for sending: ${again}`;
  if (check.passed) return null;
  const wrong = check.items.filter(({ status, required }) => required && status !== 'ok');
  return `${domain} is not set up for sending (${wrong.map(({ name, about, detail }) => `${name} of ${about}: ${detail}`).join('; ')}). Mend it, then: ${again}`;
}
