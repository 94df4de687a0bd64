import { CancellationScope, condition, log, patched, setCurrentDetails, upsertMemo, workflowInfo } from '@temporalio/workflow';
import type { OpenedSend } from '../../activities/sending/activities.ts';
import { growingPause } from '../../domain/backoff.ts';
import type { SliceResult } from '../../domain/slice-result.ts';
import { MEMO, type SendMailingInput, type SendProgress } from '../contracts.ts';
import { shownTime } from './shown-time.ts';

/** How a send ends. */
export interface Ending {
  outcome: 'completed' | 'stopped' | 'died';
  reasons: string[];
}

/**
 * Since when the relay takes no mail, how often a lane has paused for it in a row, at most, and when it was asked last: hours in which it was not (outside the sending
 * hours, without a worker) are none in which it was away.
 */
type RelayAway = NonNullable<NonNullable<SendMailingInput['carried']>['relay']>;

interface Pause {
  /** ISO 8601. */
  until: string;
  reason: string;
  text: string;
}

/** After so many slices a run continues as a new one. */
const SLICES_PER_RUN = 500;
/** Who asks at once again asks no more often than this. */
const SHORTEST_WAIT_MS = 200;
/** Seconds that a lane rests at least: where a worker's lost slice is still at work in it, or another run that somebody has started of this mailing, no other lane is. */
const SHORTEST_REST = { first: 1, most: 15 };
/** Longer than a lane pauses for the relay, and looks for it. */
const LONGEST_UNASKED_MS = 900_000;
/** Characters of a timer's summary. */
const LONGEST_SUMMARY = 200;

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
  /** Its time and whether to rebuild, as it was opened. */
  timing: string | null = null;
  relay: RelayAway | null;
  /** The log has it that it is away, and not yet that it is back. */
  #saidAway: boolean;
  slices = 0;
  /** Slices that got mail through. */
  delivered = 0;
  /** Set once: how the sending ends. */
  ending: Ending | null = null;
  readonly #input: SendMailingInput;
  /** Lanes with a slice at work, and those of them that only look whether the relay is back. */
  #working = 0;
  #probing = 0;
  /** Lanes that every worker has one beside. */
  #resting = 0;
  /** Why the lane that paused last does. */
  #pause: Pause | null = null;
  /** When those who have nothing to do ask again, once all lanes have nothing to do. */
  #dueAt = 0;
  #told = '';
  #toldQueueing: string | null = null;
  /** Of a stop that came before it was known which queueing this is. */
  #stopOf: string | undefined;

  constructor(input: SendMailingInput) {
    const { mailingId, carried } = input;
    this.#input = input;
    this.mailingId = mailingId;
    this.live = { phase: 'waiting', accepted: carried?.accepted ?? 0, pause: null };
    this.relay = carried?.relay ?? null;
    this.#saidAway = this.relay !== null;
    this.stopping = carried?.stopped ?? false;
  }

  /**
   * Slices are told at once: they finish what is on the wire, record it, and return.
   * @param queuedAt which queueing was to be stopped: told late, it may be an earlier one, and this one goes on
   */
  stop(queuedAt?: string): void {
    if (queuedAt !== undefined && this.queuedAt === null) this.#stopOf = queuedAt;
    else if (queuedAt === undefined || !(Date.parse(queuedAt) < Date.parse(this.queuedAt!))) {
      this.stopping = true;
      this.work.cancel();
    }
  }

  /** It is known now which queueing this is. */
  opened({ queuedAt = null, timing = null, stopRequested }: Pick<OpenedSend, 'queuedAt' | 'timing' | 'stopRequested'>): void {
    this.queuedAt = queuedAt;
    this.timing = timing;
    this.stopping ||= stopRequested;
    if (this.#stopOf !== undefined) this.stop(queuedAt === null ? undefined : this.#stopOf);
    this.#stopOf = undefined;
  }

  /** No further slice is begun, and the other lanes' are called off: those that are at work have nothing left to do, or no right to. */
  end(ending: Ending): void {
    if (this.over) return;
    this.ending = ending;
    if (ending.outcome === 'died' || patched('lanes-end-together')) this.work.cancel();
  }

  /** Nothing more is begun. */
  get over(): boolean {
    return this.stopping || this.ending !== null;
  }

  /** That it has begun to send, or ended, in this queueing is in the row, too, unless a standby was promoted that lacks it: so the sweep compares the two. */
  tellQueueing(): void {
    if (this.#toldQueueing === this.queuedAt || !patched('tells-its-queueing')) return;
    this.#toldQueueing = this.queuedAt;
    upsertMemo({ [MEMO.queueing]: this.queuedAt });
  }

  say(phase: SendProgress['phase'], text: string): void {
    this.live.phase = phase;
    setCurrentDetails(text);
  }

  /** Runs a slice of a lane. @param probe it only finds out whether the relay is back */
  async atWork(slice: () => Promise<SliceResult>, probe: boolean): Promise<SliceResult> {
    this.#working++;
    this.#probing += Number(probe);
    this.#show();
    try {
      return await this.work.run(slice);
    } finally {
      this.#working--;
      this.#probing -= Number(probe);
    }
  }

  took({ accepted, acceptedInAll, next, answered = accepted > 0 }: SliceResult): void {
    this.live.accepted = Math.max(this.live.accepted, acceptedInAll ?? this.live.accepted + accepted);
    if (accepted > 0) this.delivered++;
    if (!answered) return;
    // It answered, and may have gone away after that: of lanes that hear of it at once each had mail accepted just before.
    if (this.#saidAway && next !== 'relay-down') {
      log.warn('a send goes on: the relay is there again', { mailingId: this.mailingId, pauses: this.relay?.pauses ?? 0 });
      this.#saidAway = false;
    }
    this.relay = null;
  }

  /** Notes that it is away. @returns since when, and how often a lane has paused for it */
  relayAway(reason: string): RelayAway {
    if (!this.#saidAway) log.warn('a send pauses: the relay is not taking mail', { mailingId: this.mailingId, reason });
    this.#saidAway = true;
    const now = Date.now();
    this.relay ??= { downSince: now, pauses: 0 };
    const unasked = now - (this.relay.askedAt ?? now);
    if (unasked > LONGEST_UNASKED_MS && patched('away-while-asked')) this.relay.downSince += unasked;
    this.relay.askedAt = now;
    return this.relay;
  }

  /** How far the sending is, as long as it does not pause. */
  tell(text: string): void {
    this.#told = text;
    this.#show();
  }

  /**
   * A lane waits, until the send is over at the latest.
   * @param endsInMs when what it waits for is known to last longer than this pause
   * @param unless ends it before its time
   */
  async pause(
    seconds: number,
    reason: string,
    { endsInMs = seconds * 1000, unless = () => false }: { endsInMs?: number; unless?: () => boolean } = {},
  ): Promise<void> {
    const until = new Date(Date.now() + endsInMs).toISOString();
    this.#pause = { until, reason, text: `Paused until ${shownTime(until)}: ${reason}` };
    this.#show();
    await condition(() => this.over || this.tired || unless(), seconds * 1000, { summary: reason.slice(0, LONGEST_SUMMARY) });
  }

  /**
   * A lane has nothing to do: all shards are held by others or put off by the relay. It takes up again when a shard that nobody holds is due, or when no other lane has
   * anything to do either; then all of them wait until the first shard may be free.
   * @param dueMs null where there is no such shard
   * @param putOff what the relay said of those it has put off; empty where it did not
   */
  async idle(waitMs: number, dueMs: number | null, putOff: string): Promise<void> {
    this.#dueAt = Date.now() + Math.max(SHORTEST_WAIT_MS, waitMs);
    const nobodyWorks = () => this.over || this.tired || this.#working === 0;
    if (!nobodyWorks()) {
      if (dueMs === null) await condition(nobodyWorks);
      else if (!(await condition(nobodyWorks, Math.max(SHORTEST_WAIT_MS, dueMs), { summary: 'a recipient is due' }))) return;
    }
    const restMs = this.#dueAt - Date.now();
    const reason = putOff ? `recipients were put off by the relay: ${putOff}` : 'no recipient is due before then';
    if (!this.over && restMs > 0) await this.pause(restMs / 1000, reason);
  }

  /**
   * A lane that every worker has one beside looks again after a while, or soon when no other is at work. Many that rest look in turn, so that it costs no more events
   * than one does.
   * @param rests how often in a row it has, this time included
   */
  async rest(seconds: number, rests: number): Promise<void> {
    this.#resting++;
    try {
      const summary = 'every worker has a lane of this mailing';
      const leastMs = 1000 * growingPause(rests - 1, SHORTEST_REST.first, SHORTEST_REST.most);
      if (patched('rests-a-second')) await condition(() => this.over || this.tired, leastMs, { summary });
      await condition(() => this.over || this.tired || this.#working === 0, seconds * 1000 * this.#resting, { summary });
    } finally {
      this.#resting--;
    }
  }

  /** The history has become long. */
  get tired(): boolean {
    return workflowInfo().continueAsNewSuggested || this.slices >= (this.#input.slicesPerRun ?? SLICES_PER_RUN);
  }

  /** What a new run goes on from. */
  carriedOn(): SendMailingInput {
    return { ...this.#input, carried: { stopped: this.stopping, accepted: this.live.accepted, relay: this.relay } };
  }

  /** A send pauses while none of its lanes does more than look whether the relay is back. */
  #show(): void {
    if (this.#pause && this.#working === this.#probing) {
      const { reason, until, text } = this.#pause;
      this.live.pause = { reason, until };
      this.say('paused', text);
    } else {
      this.#pause = null;
      this.live.pause = null;
      this.say('sending', this.#told);
    }
  }
}
