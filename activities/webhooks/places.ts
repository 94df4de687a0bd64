import { SoonHosts } from '../../core/webhooks/soon-hosts.ts';
import { Held } from '../held.ts';
import { notYet } from '../not-yet.ts';

/** Webhooks one worker process tells something at a time. */
export const WEBHOOK_PLACES = 10;
const HALF = WEBHOOK_PLACES / 2;

/**
 * Which hosts a worker process is telling something just now. A host has half of the places at most, and so have all together that are not known to answer soon, new ones among
 * them: however many webhooks name addresses that take their time, those that answer have places left.
 */
export class WebhookPlaces {
  readonly #held = new Held<string>();
  readonly #soon = new SoonHosts();

  /**
   * @param tell calls what it is given with how long each answer took, in milliseconds
   * @throws ApplicationFailure to be tried again as the run says, while others have the places
   */
  async hold<Result>(host: string, tell: (answeredIn: (ms: number) => void) => Promise<Result>): Promise<Result> {
    const isSoon = this.#soon.has(host);
    const beside = this.#held.count((other) => other === host || !(isSoon || this.#soon.has(other)));
    if (beside >= HALF) throw notYet('OthersAreTold', 'Other webhooks are being told.');
    return this.#held.during(host, () => tell((ms) => this.#soon.took(host, ms)));
  }
}
