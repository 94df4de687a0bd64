import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { Held } from './held.ts';
import { notYet } from './not-yet.ts';

/** Long statements one worker process runs at a time: one more than a single account can have. */
export const SQL_PLACES = 3;

/** What takes a place. Reports may last hours, and mailings wait for builds. */
export type LongStatement = 'report' | 'build';

const SOONEST_MS = 250;
const LATEST_MS = 10_000;

/**
 * Who has the places of a worker process for long statements. An account has one report and one build there at a time, so that one place is always
 * another's, and reports leave one to the builds. Whoever has to wait gives the place back at once and is tried again soon; meanwhile others are let in.
 */
export class Places {
  readonly #held = new Held<{ kind: LongStatement; account: number | null }>();

  /**
   * @param account whom it counts for; null for nobody's
   * @throws ApplicationFailure to be tried again soon, when others come first
   */
  async hold<Result>(kind: LongStatement, account: number | null, work: () => Promise<Result>): Promise<Result> {
    const same = this.#held.places.filter((each) => each.kind === kind);
    if (account !== null && same.some((each) => each.account === account)) throw later(`The account has a ${kind} here already.`);
    if (kind === 'report' && same.length >= SQL_PLACES - 1) throw later('Enough reports are running here.');
    return this.#held.during({ kind, account }, work);
  }
}

const NO_PLACE = 'NoPlaceYet';

/** Whether work was not begun, since others come first. */
export const isNoPlace = (error: unknown): boolean => error instanceof ApplicationFailure && error.type === NO_PLACE;

const later = (message: string) => notYet(NO_PLACE, message, Math.min(LATEST_MS, SOONEST_MS * Context.current().info.attempt));
