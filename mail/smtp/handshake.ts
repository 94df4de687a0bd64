import type { RelayAddress } from './relay-url.ts';
import { type Reply, shownReply } from './replies.ts';
import type { Conversation, Wire } from './wire.ts';

/** What a relay offers, as its answer to EHLO says. */
export interface Offers {
  pipelining: boolean;
  /** BDAT (RFC 3030). */
  chunking: boolean;
  starttls: boolean;
  smtputf8: boolean;
  /** Largest message in bytes; 0 is no limit. */
  size: number;
  auth: string[];
}

const NOTHING: Offers = { pipelining: false, chunking: false, starttls: false, smtputf8: false, size: 0, auth: [] };

/** Why a connection could not be made ready. */
export class HandshakeError extends Error {
  readonly relay: 'down' | 'busy' | 'refused-credentials';
  constructor(relay: 'down' | 'busy' | 'refused-credentials', message: string) {
    super(message);
    this.relay = relay;
  }
}

const busy = (reply: Reply) => new HandshakeError('busy', shownReply(reply.text));
const refused = (message: string) => new HandshakeError('refused-credentials', message);
const positive = ({ code }: Reply) => code < 300;

/**
 * Greeting, EHLO, STARTTLS, AUTH.
 * @param name what this host calls itself
 * @throws HandshakeError
 */
export async function shakeHands(wire: Wire, conversation: Conversation, address: RelayAddress, name: string): Promise<Offers> {
  const ask = (command: string): Promise<Reply> => {
    wire.write(`${command}\r\n`);
    return conversation.next();
  };
  try {
    const greeting = await conversation.next();
    if (!positive(greeting)) throw busy(greeting);
    let offers = await introduce(ask, name);
    if (address.tls === 'required' && !offers.starttls) {
      throw refused(
        'the relay offers no STARTTLS, and nothing is to be said to it in clear (add ?requireTLS=false to SMTP_URL to allow it)',
      );
    }
    if (offers.starttls && (address.tls === 'required' || address.tls === 'offered')) {
      const reply = await ask('STARTTLS');
      if (!positive(reply)) throw busy(reply);
      // Taken for the answer to the next EHLO, it could turn what is offered, and how the login is said.
      if (conversation.hasMore) throw new HandshakeError('down', 'the relay sent more than its answer before TLS');
      await wire.upgrade(address.host, address.verify);
      offers = await introduce(ask, name);
    }
    if (address.credentials) await authenticate(ask, offers, address.credentials);
    // Answers to nothing would be taken for answers to what is asked next.
    if (conversation.hasMore) throw new HandshakeError('down', 'the relay speaks unasked');
    return offers;
  } catch (error) {
    if (error instanceof HandshakeError) throw error;
    throw new HandshakeError('down', (error as Error).message);
  }
}

async function introduce(ask: (command: string) => Promise<Reply>, name: string): Promise<Offers> {
  const reply = await ask(`EHLO ${name}`);
  if (positive(reply)) return readOffers(reply.text);
  // Only a relay that does not know the command is greeted the old way, which offers nothing: no TLS either, and that is for an operator to mend.
  if (reply.code < 500) throw busy(reply);
  const plain = await ask(`HELO ${name}`);
  if (!positive(plain)) throw busy(plain);
  return NOTHING;
}

function readOffers(text: string): Offers {
  const offers = { ...NOTHING };
  for (const line of text.split('\n').slice(1)) {
    const [word = '', ...rest] = line
      .slice(4)
      .trim()
      .toUpperCase()
      .split(/[\s=]+/);
    if (word === 'PIPELINING') offers.pipelining = true;
    else if (word === 'CHUNKING') offers.chunking = true;
    else if (word === 'STARTTLS') offers.starttls = true;
    else if (word === 'SMTPUTF8') offers.smtputf8 = true;
    else if (word === 'SIZE') offers.size = /^\d{1,15}$/.test(rest[0] ?? '') ? Number(rest[0]) : 0;
    else if (word === 'AUTH') offers.auth = [...offers.auth, ...rest];
  }
  return offers;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function authenticate(
  ask: (command: string) => Promise<Reply>,
  offers: Offers,
  { user, password }: { user: string; password: string },
): Promise<void> {
  const ways = [
    { method: 'PLAIN', steps: [`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`] },
    { method: 'LOGIN', steps: ['AUTH LOGIN', base64(user), base64(password)] },
  ].filter(({ method }) => offers.auth.includes(method));
  if (ways.length === 0) {
    throw refused(`the relay offers no AUTH PLAIN or LOGIN${offers.auth.length > 0 ? `, only ${shownReply(offers.auth.join(' '))}` : ''}`);
  }
  let reply: Reply | null = null;
  for (const { steps } of ways) {
    // Of a method it offers, and does not know after all.
    if (reply && reply.code !== 504) break;
    reply = null;
    for (const step of steps) {
      if (reply && reply.code !== 334) break;
      reply = await ask(step);
    }
  }
  if (positive(reply!)) return;
  throw reply!.code >= 500 ? refused(shownReply(reply!.text)) : busy(reply!);
}
