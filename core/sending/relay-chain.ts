import { needed, SettingError } from '../../config/env.ts';
import { readAllowList } from '../../domain/allow-list.ts';
import { withoutAddresses } from '../../domain/without-addresses.ts';
import { domainOf } from '../../mail/address.ts';
import type { Relay } from '../../mail/contracts.ts';
import { signingRelay } from '../../mail/dkim/signing-relay.ts';
import { namelessRelay } from '../../mail/naming-nobody.ts';
import { readRelays } from '../../mail/smtp/relay-url.ts';
import { createRelays } from '../../mail/smtp/relays.ts';
import { withholdingRelay } from '../../mail/withholding.ts';
import type { CoreDeps } from '../deps.ts';
import { DkimKeyError, openDkimKeys, signingKeyIds } from '../senders/stored-keys.ts';
import { drawPace } from './pace.ts';

// What every mail goes through on its way out, from the last to the first: the relays of the settings (mail/smtp), one of which takes it; before them the
// allow-list, past which nothing leaves, and the words of a reply without the address they are about; before that, mailing by mailing, the signature of its sender.

/**
 * The relay of a process: those of the settings, with nothing for whom the allow-list leaves out, and with replies that name nobody.
 * @param given in place of those of the settings
 * @throws SettingError
 */
export function openRelay(deps: Pick<CoreDeps, 'env' | 'pool' | 'log'>, given?: Relay): Relay {
  return withholdingRelay(namelessRelay(given ?? relaysOfSettings(deps)), readAllowList(deps.env.SEND_ONLY_TO));
}

function relaysOfSettings({ env, pool, log }: Pick<CoreDeps, 'env' | 'pool' | 'log'>): Relay {
  const named = env.SMTP_RELAYS ? 'SMTP_RELAYS' : 'SMTP_URL';
  const text = env.SMTP_RELAYS ?? needed(env, 'SMTP_URL').SMTP_URL;
  try {
    return createRelays(readRelays(text, env.SMTP_CONNECTIONS), {
      timeoutMs: env.SMTP_TIMEOUT_MS,
      name: env.MAIL_DOMAIN,
      chunking: env.SMTP_CHUNKING,
      draw: (key, rate, wanted) => drawPace(pool, key, rate, wanted),
      onRest: (relay, ms, reason) => log.warn({ relay, ms, reason: withoutAddresses(reason) }, 'a relay is taken out'),
    });
  } catch (error) {
    throw new SettingError(`${named}: ${(error as Error).message}`);
  }
}

type Deps = Pick<CoreDeps, 'pool' | 'env' | 'relay'>;

/** The relay as mails from this line go over it: signed with the keys their domain has now. */
export const relayFor = async (deps: Deps, fromLine: string): Promise<Relay> =>
  relaySigning(deps, await signingKeyIds(deps.pool, domainOf(fromLine)));

/** The relay, signing with these keys. Where one cannot be used no mail leaves: one that was to be signed must not go out unsigned. */
export async function relaySigning({ pool, env, relay }: Deps, keyIds: readonly number[]): Promise<Relay> {
  try {
    return signingRelay(relay, await openDkimKeys(pool, keyIds, env.SECRET_KEY));
  } catch (error) {
    if (!(error instanceof DkimKeyError)) throw error;
    const reply = error.message;
    return { connections: relay.connections, send: async () => ({ kind: 'unsent', relay: 'down', reply }), close: () => relay.close() };
  }
}

/** Why mails cannot be signed with these keys; null when they can. */
export async function whyNotSigned({ pool, env }: Pick<Deps, 'pool' | 'env'>, keyIds: readonly number[]): Promise<string | null> {
  try {
    await openDkimKeys(pool, keyIds, env.SECRET_KEY);
    return null;
  } catch (error) {
    if (!(error instanceof DkimKeyError)) throw error;
    return error.message;
  }
}
