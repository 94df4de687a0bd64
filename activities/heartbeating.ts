import { Context } from '@temporalio/activity';

/** What work inside an activity is given of it. */
export interface Beating {
  /** Aborted when the activity was cancelled, or given up. */
  signal: AbortSignal;
  beat(): void;
}

/** A cancellation is heard of with a heartbeat; the SDK lets no more of them through than the time-out of the activity needs. */
const BEAT_MS = 500;

/** Runs the work of an activity with heartbeats beside it, so that what a dead worker had begun is taken up soon. */
export async function heartbeating<Result>(work: (activity: Beating) => Promise<Result>): Promise<Result> {
  const { cancellationSignal, heartbeat } = Context.current();
  const beat = () => heartbeat();
  const beats = setInterval(beat, BEAT_MS);
  try {
    return await work({ signal: cancellationSignal, beat });
  } finally {
    clearInterval(beats);
  }
}
