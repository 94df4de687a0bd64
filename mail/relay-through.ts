import type { Relay } from './contracts.ts';

/** A relay in all but what is done with each mail on its way to it. */
export function relayThrough(relay: Relay, send: Relay['send']): Relay {
  const { admit } = relay;
  return {
    get connections() {
      return relay.connections;
    },
    get isPressed() {
      return relay.isPressed ?? false;
    },
    ...(admit && { admit: (wanted: number) => admit.call(relay, wanted) }),
    send,
    close: () => relay.close(),
  };
}
