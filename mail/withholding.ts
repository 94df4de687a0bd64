import { type Allows, WITHHELD } from '../domain/allow-list.ts';
import { type CompiledMailing, type Relay, RenderError } from './contracts.ts';
import { relayThrough } from './relay-through.ts';

// Mail to nobody but those on the allow-list, twice over: a mailing skips the others before they are marked, and the relay itself takes nothing for them,
// whatever part of the platform forgot to ask.

export function withholdingMailing(mailing: CompiledMailing, allows: Allows): CompiledMailing {
  return {
    ...mailing,
    render(recipient) {
      if (!allows(recipient.email)) throw new RenderError(WITHHELD);
      return mailing.render(recipient);
    },
  };
}

export const withholdingRelay = (relay: Relay, allows: Allows): Relay =>
  relayThrough(relay, (mail, mayWrite, urgent) =>
    allows(mail.envelopeTo) ? relay.send(mail, mayWrite, urgent) : Promise.resolve({ kind: 'withheld', reply: WITHHELD }),
  );
