import { counted } from '../../domain/counted.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import type { Outcome } from '../../mail/contracts.ts';

const MOST_OF_A_REPLY = 500;

/** A reason or a relay's reply as the ledger keeps it. */
export const clip = (reply: string): string => reply.slice(0, MOST_OF_A_REPLY);

/**
 * What the ledger says after the relay's answer. Put off (4xx) is pending again, with the reply, until the passes are used up; unsent is pending
 * again as if nothing had happened.
 */
export function settle(outcome: Outcome, pass: number, tries: number): { state: number; detail: string | null } {
  switch (outcome.kind) {
    case 'accepted':
      return { state: LEDGER_STATE.accepted, detail: null };
    case 'failed':
      return { state: LEDGER_STATE.failed, detail: clip(outcome.reply) };
    case 'deferred':
      if (pass < tries) return { state: LEDGER_STATE.pending, detail: clip(outcome.reply) };
      return { state: LEDGER_STATE.failed, detail: clip(`${outcome.reply} (tried ${counted(pass, 'time', 'times')})`) };
    case 'uncertain':
      return { state: LEDGER_STATE.uncertain, detail: clip(outcome.reply) };
    case 'withheld':
      return { state: LEDGER_STATE.skipped, detail: clip(outcome.reply) };
    case 'unsent':
      return { state: LEDGER_STATE.pending, detail: null };
  }
}
