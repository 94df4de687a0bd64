import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/** Webhooks one worker process tells something at a time. */
export const WEBHOOK_PLACES = 10;
const HALF = WEBHOOK_PLACES / 2;

/** Longer than a receiver takes that means to answer soon. */
const SLOW_MS = 2_000;
/** So long a host that took longer is not taken for one that answers soon. */
const REMEMBERED_MS = 5 * 60_000;
const MOST_REMEMBERED = 1000;

/**
 * Which hosts a worker process is telling something just now. A host has half of the places at most, and so have all together that are not known to answer soon, new ones among
 * them: however many webhooks name addresses that take their time, those that answer have places left.
 */
export class WebhookPlaces {
  readonly #held: string[] = [];
  /** From when on each is taken for one that answers soon. */
  readonly #soonFrom = new Map<string, number>();

  /**
   * @param tell calls what it is given with how long each answer took, in milliseconds
   * @throws ApplicationFailure to be tried again as the run says, while others have the places
   */
  async hold<Result>(host: string, tell: (answeredIn: (ms: number) => void) => Promise<Result>): Promise<Result> {
    const isSoon = this.#answersSoon(host);
    const beside = this.#held.filter((other) => other === host || !(isSoon || this.#answersSoon(other)));
    if (beside.length >= HALF) throw waits();
    this.#held.push(host);
    try {
      return await tell((ms) => this.#remember(host, ms));
    } finally {
      this.#held.splice(this.#held.indexOf(host), 1);
    }
  }

  #answersSoon(host: string): boolean {
    return (this.#soonFrom.get(host) ?? Number.POSITIVE_INFINITY) <= performance.now();
  }

  #remember(host: string, ms: number): void {
    if (this.#soonFrom.size >= MOST_REMEMBERED) this.#soonFrom.clear();
    if (ms > SLOW_MS) this.#soonFrom.set(host, performance.now() + REMEMBERED_MS);
    else if (!this.#soonFrom.has(host)) this.#soonFrom.set(host, performance.now());
  }
}

/** No failure: it is neither counted nor logged as one. */
const waits = () =>
  ApplicationFailure.create({
    message: 'Other webhooks are being told.',
    type: 'OthersAreTold',
    category: ApplicationFailureCategory.BENIGN,
  });
