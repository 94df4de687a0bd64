import { domainOf } from '../../mail/address.ts';
import type { Relay } from '../../mail/contracts.ts';
import { signingRelay } from '../../mail/dkim/signing-relay.ts';
import type { CoreDeps } from '../deps.ts';
import { DkimKeyError, openDkimKeys, signingKeyIds } from '../senders/stored-keys.ts';

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
