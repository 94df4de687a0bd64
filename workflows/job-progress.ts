import { defineQuery, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { type JobProgress, MESSAGE } from './contracts.ts';

export const progress = defineQuery<JobProgress>(MESSAGE.progress);

/** What the run of a job says of itself: its phase to whoever asks, and a sentence to operators. Made before the first await. */
export class TellingJob {
  #phase: JobProgress['phase'] = 'working';

  constructor(text: string) {
    setHandler(progress, () => ({ phase: this.#phase }));
    this.say(text);
  }

  say(text: string): void {
    setCurrentDetails(text);
  }

  /** What became of it stands in its row now. */
  over(text: string): void {
    this.#phase = 'over';
    this.say(text);
  }
}
