import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SoonHosts } from './soon-hosts.ts';

// Whoever may write webhooks may not reach by them what stands behind our door: the database, the workflow service, a cloud's metadata.

const INSIDE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  INSIDE.addSubnet(network, bits, 'ipv4');
/** What is routed on the internet; of that, what leads to IPv4 addresses by another name, and what is for documentation. */
const OUTSIDE_6 = new BlockList();
OUTSIDE_6.addSubnet('2000::', 3, 'ipv6');
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  INSIDE.addSubnet(network, bits, 'ipv6');

/** Whether an IP address is one of the internet. */
export function isOutside(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !INSIDE.check(address, 'ipv4');
  return family === 6 && OUTSIDE_6.check(address, 'ipv6') && !INSIDE.check(address, 'ipv6');
}

/** The name leads to no address of the internet. */
export class InsideError extends Error {
  constructor(host: string) {
    super(`${host} is an address of this network`);
  }
}

/**
 * Names are looked up by four threads of the process, which read files and check passwords, too; where a name server is silent, one is held for many seconds. Of three
 * one is for names that were found soon before.
 */
const MOST_LOOKED_UP = 3;
const MOST_UNSURE = 2;
const foundSoon = new SoonHosts();
let lookedUp = 0;
/** Of these, how many names are not known to be found soon. */
let unsure = 0;

interface Turn {
  host: string;
  /** Has to call what it is given at its end. */
  begin: (ended: () => void) => void;
}

/** In the order they came. */
const waiting = new Set<Turn>();

const mayBegin = ({ host }: Turn): boolean => lookedUp < MOST_LOOKED_UP && (unsure < MOST_UNSURE || foundSoon.has(host));

/**
 * Begins at once, or when one of those before it has ended.
 * @param givenUp by whoever waits: it is not begun any more then, lest others wait for what nobody asks
 */
function inTurn(turn: Turn, givenUp: AbortSignal | undefined): void {
  if (givenUp?.aborted) return;
  if (mayBegin(turn)) begin(turn);
  else {
    waiting.add(turn);
    givenUp?.addEventListener('abort', () => waiting.delete(turn), { once: true });
  }
}

function begin(turn: Turn): void {
  const begun = performance.now();
  const isUnsure = Number(!foundSoon.has(turn.host));
  lookedUp++;
  unsure += isUnsure;
  turn.begin(() => {
    lookedUp--;
    unsure -= isUnsure;
    foundSoon.took(turn.host, performance.now() - begun);
    const next = [...waiting].find(mayBegin);
    if (!next) return;
    waiting.delete(next);
    begin(next);
  });
}

/**
 * For sockets, in place of the system's own: the address that is connected to is the one that was looked at.
 * @param givenUp when the request is: it hears of no address then
 */
export const lookupOutside =
  (givenUp?: AbortSignal): LookupFunction =>
  (host, options, callback) =>
    inTurn(
      {
        host,
        begin: (ended) =>
          lookup(host, { ...options, all: true }, (error, found) => {
            ended();
            if (error) return callback(error, '', 0);
            const outside = found.filter(({ address }) => isOutside(address));
            const [first] = outside;
            if (!first) return callback(new InsideError(host), '', 0);
            if (options.all) callback(null, outside);
            else callback(null, first.address, first.family);
          }),
      },
      givenUp,
    );

/** The host of a URL as an address, without the brackets of IPv6; null for a name. */
export function addressIn({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) ? host : null;
}
