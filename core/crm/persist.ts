import { type Crm, CrmAway, CrmBusy, CrmRefused } from './crm.ts';
import type { CrmPace } from './pace.ts';

/** Why a batch ended early. */
export interface Later {
  kind: 'later';
  why: 'away' | 'busy' | 'held';
  waitMs: number;
  reason: string;
}

export const laterOf = (error: CrmAway | CrmBusy): Later => ({
  kind: 'later',
  why: error instanceof CrmBusy ? 'busy' : 'away',
  waitMs: error.waitMs,
  reason: error.message,
});

const TRIES = 3;

/**
 * Works on one thing of many. When the system fails at it and yet answers a question, the thing is tried again a few times and then passed over:
 * one record that the system always chokes on must not keep all the others waiting, as an outage does.
 * @param attempt one try
 * @param ref a reference nobody has, to ask for
 * @returns how the last try ended: `away` only when the system does not answer at all; null when it was passed over
 */
export async function persist<End extends object>(
  attempt: () => Promise<End | Later>,
  { crm, pace, ref }: { crm: Crm; pace: CrmPace; ref: string },
): Promise<End | Later | null> {
  for (let tries = 1; ; tries++) {
    const end = await attempt();
    if (!('why' in end) || end.why !== 'away') return end;
    try {
      await pace.wait();
      await crm.findByRef(ref).catch(async (error) => {
        // Told to wait: so does everybody else.
        if (error instanceof CrmBusy) await pace.hold(error.waitMs);
        throw error;
      });
    } catch (error) {
      if (error instanceof CrmAway) return end;
      if (error instanceof CrmBusy) return laterOf(error);
      if (!(error instanceof CrmRefused)) throw error;
    }
    if (tries === TRIES) return null;
  }
}
