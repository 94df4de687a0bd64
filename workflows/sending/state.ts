import { CancellationScope, condition, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SendMailingInput, SendProgress } from '../contracts.ts';

/** How a send ends. */
export interface Ending {
  outcome: 'completed' | 'stopped' | 'died';
  reasons: string[];
}

/** Since when the relay takes no mail, and how often was paused for it. */
type RelayAway = NonNullable<NonNullable<SendMailingInput['carried']>['relay']>;

/** After so many slices a run continues as a new one. */
const SLICES_PER_RUN = 500;

/** Everything the run of one mailing knows: counters, flags and ids. Who got a mail is in the ledger. */
export class SendState {
  readonly mailingId: number;
  /** What the query `progress` answers. */
  readonly live: SendProgress;
  /** What a stop calls off. */
  readonly work = new CancellationScope();
  stopping: boolean;
  /** It was given another time while it waited. */
  rescheduled = false;
  /** Which queueing it was opened in. */
  queuedAt: string | null = null;
  relay: RelayAway | null;
  slices = 0;
  /** Why no further slice can work. */
  broken: string | null = null;
  readonly #input: SendMailingInput;

  constructor(input: SendMailingInput) {
    const { mailingId, carried } = input;
    this.#input = input;
    this.mailingId = mailingId;
    this.live = { phase: 'waiting', accepted: carried?.accepted ?? 0, pause: null };
    this.relay = carried?.relay ?? null;
    this.stopping = carried?.stopped ?? false;
  }

  /** Slices are told at once: they finish what is on the wire, record it, and return. */
  stop(): void {
    this.stopping = true;
    this.work.cancel();
  }

  /** No further slice can work: the other lanes end, too. */
  breakOff(reason: string): void {
    this.broken = reason;
    this.work.cancel();
  }

  say(phase: SendProgress['phase'], text: string): void {
    this.live.phase = phase;
    setCurrentDetails(text);
  }

  /** Waits, until it is stopped at the latest. @param endsInMs when it is known to last longer than this pause */
  async pause(seconds: number, reason: string, endsInMs = seconds * 1000): Promise<void> {
    this.live.pause = { reason, until: new Date(Date.now() + endsInMs).toISOString() };
    this.say('paused', `Paused for ${Math.round(seconds)} s: ${reason}`);
    await condition(() => this.stopping, seconds * 1000, { summary: 'pause' });
    this.live.pause = null;
  }

  /** The history has become long. */
  get tired(): boolean {
    return workflowInfo().continueAsNewSuggested || this.slices >= (this.#input.slicesPerRun ?? SLICES_PER_RUN);
  }

  /** What a new run goes on from. */
  carriedOn(): SendMailingInput {
    return { ...this.#input, carried: { stopped: this.stopping, accepted: this.live.accepted, relay: this.relay } };
  }
}
