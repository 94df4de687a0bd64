import { dkimRecord } from '../../mail/dkim/key.ts';
import type { Dns } from '../../mail/sender-check/dns.ts';
import type { ShownDkimKey } from './stored-keys.ts';

/** One thing receivers look at. `required`: without it much mail is refused or put aside as spam, and the check is not passed. */
export interface CheckItem {
  name: 'spf' | 'dkim' | 'reverse_dns' | 'mx' | 'dmarc';
  /** The record, domain or address it is about. */
  about: string;
  status: 'ok' | 'missing' | 'unknown';
  required: boolean;
  detail: string;
}

export interface DomainCheck {
  domain: string;
  passed: boolean;
  items: CheckItem[];
}

export interface CheckSetup {
  /** Domain of bounce addresses: what SPF is asked about. */
  mailDomain: string;
  /** IP addresses mail leaves from. */
  addresses: readonly string[];
  /** Keys that sign the mails of the domain. */
  keys: readonly ShownDkimKey[];
  dns: Dns;
}

type Finding = Pick<CheckItem, 'status' | 'detail'>;

const ok = (detail: string): Finding => ({ status: 'ok', detail });
const missing = (detail: string): Finding => ({ status: 'missing', detail });

/** Looks whether a domain is set up for sending, as receivers will see it. */
export async function checkDomain(domain: string, setup: CheckSetup): Promise<DomainCheck> {
  const { mailDomain, addresses, keys, dns } = setup;
  const look = async (item: Pick<CheckItem, 'name' | 'about' | 'required'>, find: () => Promise<Finding>): Promise<CheckItem> => {
    try {
      return { ...item, ...(await find()) };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      return { ...item, status: 'unknown', detail: `the name servers did not answer (${code})` };
    }
  };
  const nowhere = async () => missing('it is not known where mail leaves from: name the addresses in SENDING_ADDRESSES');
  const unsigned = async () => missing(`it has no key: npm run dkim -- make ${domain}`);
  const looks = [
    ...[...new Set([mailDomain, domain])].map((about) =>
      look({ name: 'spf', about, required: true }, addresses.length ? () => spfOf(about, addresses, dns) : nowhere),
    ),
    ...(keys.length
      ? keys.map((key) => look({ name: 'dkim', about: dkimRecord(key).name, required: true }, () => dkimOf(key, dns)))
      : [look({ name: 'dkim', about: domain, required: true }, unsigned)]),
    ...(addresses.length
      ? addresses.map((about) => look({ name: 'reverse_dns', about, required: true }, () => reverseOf(about, dns)))
      : [look({ name: 'reverse_dns', about: domain, required: true }, nowhere)]),
    ...[...new Set([domain, mailDomain])].map((about) => look({ name: 'mx', about, required: false }, () => mxOf(about, dns))),
    look({ name: 'dmarc', about: `_dmarc.${domain}`, required: false }, () => dmarcOf(domain, dns)),
  ];
  const items = await Promise.all(looks);
  return { domain, passed: items.every(({ status, required }) => status === 'ok' || !required), items };
}

async function spfOf(domain: string, addresses: readonly string[], dns: Dns): Promise<Finding> {
  // Loaded where it is needed, with the files it needs: no API process waits for it at its start.
  const { spf } = await import('mailauth/lib/spf/index.js');
  for (const ip of addresses) {
    const { status } = await spf({ sender: `postmaster@${domain}`, ip, helo: domain, mta: 'localhost', resolver: dns.resolve });
    if (status.result === 'temperror') throw new Error(status.comment || 'temporary error');
    if (status.result === 'none') return missing(`it has no SPF record; one that allows ${ip} is needed, such as v=spf1 ip4:${ip} -all`);
    if (status.result !== 'pass') return missing(`its SPF record does not allow ${ip}: ${status.result}`);
  }
  return ok(`allows ${addresses.join(', ')}`);
}

async function dkimOf(key: ShownDkimKey, dns: Dns): Promise<Finding> {
  const { name, value } = dkimRecord(key);
  const records = (await dns.txt(name)).filter((text) => /\bp=/.test(text));
  if (records.length === 0) return missing(`there is no such record; publish ${value}`);
  if (records.length > 1) return missing('there are several records; receivers take none of them');
  const tags = new Map(
    records[0]!.split(';').map((tag) => [tag.split('=')[0]!.trim(), tag.slice(tag.indexOf('=') + 1).replace(/\s/g, '')]),
  );
  if ((tags.get('k') ?? 'rsa') !== key.algorithm || tags.get('p') !== key.publicKey)
    return missing(`the record shows another key; publish ${value}`);
  return ok(`shows our ${key.algorithm} key`);
}

async function reverseOf(address: string, dns: Dns): Promise<Finding> {
  const names = await dns.names(address);
  if (names.length === 0) return missing('it has no name (PTR record)');
  for (const name of names) if ((await dns.addresses(name)).includes(address)) return ok(`${name}, which leads back to it`);
  return missing(`its name ${names.join(', ')} does not lead back to it`);
}

async function mxOf(domain: string, dns: Dns): Promise<Finding> {
  const exchanges = await dns.mx(domain);
  if (exchanges.length) return ok(exchanges.join(', '));
  return (await dns.addresses(domain)).length
    ? ok('no MX record; mail goes to the domain’s own address')
    : missing('nothing takes mail for it: no MX record');
}

/** The policy of the domain or of the nearest one above it (RFC 9989, 4.10: the tree is walked up). */
async function dmarcOf(domain: string, dns: Dns): Promise<Finding> {
  for (let at = domain; at.includes('.'); at = at.slice(at.indexOf('.') + 1)) {
    const records = (await dns.txt(`_dmarc.${at}`)).filter((text) => /^v\s*=\s*DMARC1\s*(;|$)/i.test(text));
    if (records.length > 1) return missing(`${at} has several DMARC records; receivers take none of them`);
    if (records[0]) return ok(at === domain ? records[0] : `${records[0]} (of ${at})`);
  }
  return missing('there is no DMARC record; large receivers ask for one from bulk senders, v=DMARC1; p=none at least');
}
