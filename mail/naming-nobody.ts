import { withoutAddress, withoutAddresses } from '../domain/without-addresses.ts';
import type { Outcome, Relay } from './contracts.ts';
import { relayThrough } from './relay-through.ts';

/**
 * A relay whose replies name nobody. They are kept beside people whose addresses not everybody who reads about a mailing may see, and outlive them; what they say
 * stays.
 */
export const namelessRelay = (relay: Relay): Relay =>
  relayThrough(relay, async (mail, mayWrite, urgent) => nameless(mail.envelopeTo, await relay.send(mail, mayWrite, urgent)));

function nameless(address: string, outcome: Outcome): Outcome {
  switch (outcome.kind) {
    case 'accepted':
    case 'withheld':
      return outcome;
    case 'failed':
    case 'deferred':
      return { ...outcome, reply: withoutAddress(address, outcome.reply) };
    default:
      // Why a connection ended may have been said of another mail.
      return { ...outcome, reply: withoutAddresses(withoutAddress(address, outcome.reply)) };
  }
}
