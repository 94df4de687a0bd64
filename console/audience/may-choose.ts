import { statusOf } from '../../core/mailings/existing.ts';
import type { Pool } from '../../db/driver.ts';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { REBUILDABLE } from '../../domain/mailing-status.ts';
import type { MailingStatus } from '../../domain/words.ts';
import { statusWord } from '../mailings/status-words.ts';

/**
 * An audience is chosen here only where it can be built then: whoever has had the form open since the mailing was a draft must not throw a queued one back.
 * The API takes a targeting at any time.
 */
export const mayChoose = (status: MailingStatus): boolean => REBUILDABLE.includes(status);

export const notNow = (status: MailingStatus): string =>
  `The audience cannot be changed while the mailing is ${statusWord(status).toLowerCase()}.`;

/** @throws NotFoundError; InputError where it may not be chosen now */
export async function checkMayChoose(pool: Pool, id: number): Promise<void> {
  const status = await statusOf(pool, id);
  if (status === null) throw new NotFoundError();
  if (!mayChoose(status)) throw new InputError({ audience: notNow(status) });
}
