import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { SoonHosts } from '../../core/webhooks/soon-hosts.ts';

/** Webhooks one worker process tells something at a time. */
export const WEBHOOK_PLACES = 10;
const HALF = WEBHOOK_PLACES / 2;

/**
 * Which hosts a worker process is telling something just now. A host has half of the places at most, and so have all together that are not known to answer soon, new ones among
 * them: however many webhooks name addresses that take their time, those that answer have places left.
 */
export class WebhookPlaces {
  readonly #held: string[] = [];
  readonly #soon = new SoonHosts();

  /**
   * @param tell calls what it is given with how long each answer took, in milliseconds
   * @throws ApplicationFailure to be tried again as the run says, while others have the places
   */
  async hold<Result>(host: string, tell: (answeredIn: (ms: number) => void) => Promise<Result>): Promise<Result> {
    const isSoon = this.#soon.has(host);
    const beside = this.#held.filter((other) => other === host || !(isSoon || this.#soon.has(other)));
    if (beside.length >= HALF) throw waits();
    this.#held.push(host);
    try {
      return await tell((ms) => this.#soon.took(host, ms));
    } finally {
      this.#held.splice(this.#held.indexOf(host), 1);
    }
  }
}

/** No failure: it is neither counted nor logged as one. */
const waits = () =>
  ApplicationFailure.create({
    message: 'Other webhooks are being told.',
    type: 'OthersAreTold',
    category: ApplicationFailureCategory.BENIGN,
  });
