import type { Pool } from '../../../db/driver.ts';
import { NotFoundError } from '../../../domain/errors.ts';
import { once, type Repeatable } from '../../once.ts';
import { pushedAction } from './answer.ts';
import { type Donated, donate } from './donate.ts';
import type { DonationInput } from './donation-input.ts';
import type { Pushing } from './donation-page.ts';
import { translated } from './refused.ts';

export interface PushDeps {
  pool: Pool;
  /** Runs a push in one transaction. It may run it twice: what the first run did is undone then. */
  transaction<Result>(push: (pushing: Pushing) => Promise<Result>): Promise<Result>;
}

export interface Pushed {
  /** The donation action, its order in it. */
  action: Record<string, unknown>;
  /** What this push made; null where an earlier one with the same key had made it. */
  donated: Donated | null;
}

/**
 * Adds a donation that was processed elsewhere, once however often it is sent.
 * @throws PushError, InputError, ConflictError; then nothing was made. NotFoundError when what an earlier push made is gone
 */
export async function pushDonation({ pool, transaction }: PushDeps, input: DonationInput, push?: Repeatable): Promise<Pushed> {
  try {
    return await transaction(async (pushing) => {
      let donated: Donated | null = null;
      const actionId = await once(pushing.sql, push, async () => {
        donated = await donate(pushing, input);
        return donated.actionId;
      });
      const action = await pushedAction(pushing.sql, actionId, pushing.env.SECRET_KEY);
      if (!action) throw new NotFoundError();
      return { action, donated };
    });
  } catch (error) {
    throw await translated(error, pool, input);
  }
}
