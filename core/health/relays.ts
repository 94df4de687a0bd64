import { hostname } from 'node:os';
import type { Env } from '../../config/env.ts';
import { type Finding, look, PATIENCE_MS, well, wrong } from '../../domain/finding.ts';
import { type HandshakeError, shakeHands } from '../../mail/smtp/handshake.ts';
import { type RelayAddress, readRelays, readRelayUrl } from '../../mail/smtp/relay-url.ts';
import { Conversation, Wire } from '../../mail/smtp/wire.ts';

/** Every relay mail goes to, as far as a worker goes before its first mail: connection, greeting, TLS, login. */
export async function lookAtRelays({ SMTP_URL, SMTP_RELAYS, SMTP_CONNECTIONS, SEND_ONLY_TO, SENDING_ENABLED }: Env): Promise<Finding[]> {
  const setting = SMTP_RELAYS ? 'SMTP_RELAYS' : 'SMTP_URL';
  if (!SMTP_RELAYS && !SMTP_URL)
    return [wrong('relay', 'SMTP_URL is not set, and npm start has made no sink in DATA_DIR', 'set SMTP_URL, or run npm start')];
  const found = await lookAtEach(setting, () =>
    SMTP_RELAYS ? readRelays(SMTP_RELAYS, SMTP_CONNECTIONS).map(({ url }) => url) : [SMTP_URL!],
  );
  if (SEND_ONLY_TO) found.push(look('relay', `test mode: only ${SEND_ONLY_TO} get mail`, 'unset SEND_ONLY_TO when it is over'));
  if (!SENDING_ENABLED) found.push(look('relay', 'SENDING_ENABLED is false: nothing can be queued', 'set it to true when it is over'));
  return found;
}

async function lookAtEach(setting: string, read: () => string[]): Promise<Finding[]> {
  try {
    return await Promise.all(read().map((url) => lookAtRelay(readRelayUrl(url), setting)));
  } catch (error) {
    return [wrong('relay', (error as Error).message, `look at ${setting}`)];
  }
}

const ENCRYPTED: Record<RelayAddress['tls'], string> = {
  always: 'encrypted',
  required: 'encrypted',
  offered: 'encrypted where it offers that',
  never: 'in clear',
};

async function lookAtRelay(address: RelayAddress, setting: string): Promise<Finding> {
  const place = `${address.host}:${address.port}`;
  const conversation = new Conversation();
  const wire = new Wire(address, conversation);
  const timer = setTimeout(() => wire.drop(`nothing within ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
  try {
    await shakeHands(wire, conversation, address, hostname());
    wire.write('QUIT\r\n');
    return well('relay', `${place}, ${ENCRYPTED[address.tls]}${address.credentials ? ', logged in' : ''}`);
  } catch (error) {
    const { relay, message } = error as HandshakeError;
    const todo = relay === 'refused-credentials' ? `look at user and password in ${setting}` : `start it, or look at ${setting}`;
    return wrong('relay', `${place}: ${message}`, todo);
  } finally {
    clearTimeout(timer);
    wire.drop('done');
  }
}
