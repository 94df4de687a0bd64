import type { Relay } from '../contracts.ts';
import { relayThrough } from '../relay-through.ts';
import { dkimSignatures, type SigningKey } from './signature.ts';

/** A relay that is given mails and gets them signed. Without keys it is the relay itself. */
export function signingRelay(relay: Relay, keys: readonly SigningKey[]): Relay {
  if (keys.length === 0) return relay;
  return relayThrough(relay, async (mail, ...how) => {
    let signatures: string;
    try {
      signatures = await dkimSignatures(mail.message, keys, Date.now());
    } catch (error) {
      return { kind: 'unsent', relay: 'down', reply: `it could not be signed: ${(error as Error).message}` };
    }
    return relay.send({ ...mail, message: signatures + mail.message }, ...how);
  });
}
