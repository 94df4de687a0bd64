import { UncertainError } from '../domain/errors.ts';
import type { Asking } from './deps.ts';

interface Steps<Asked> {
  /** In one transaction. */
  write: (sql: Asking<never>['sql']) => Promise<Asked>;
  start: (asked: Asked) => Promise<unknown>;
  /** Makes it as it was before. A run that was started all the same finds nothing to do, and ends. */
  takeBack: (asked: Asked) => Promise<void>;
}

/**
 * Writes what is asked for and has its run started: the row first, so that whoever asks at once finds it. Where nothing could be started nothing stays written;
 * where something may have been, it does, and what has no run is started by the sweep.
 */
export async function askFor<Asked>(
  { transaction }: Pick<Asking<never>, 'transaction'>,
  { write, start, takeBack }: Steps<Asked>,
): Promise<Asked> {
  const asked = await transaction(write);
  try {
    await start(asked);
  } catch (error) {
    if (!(error instanceof UncertainError)) await takeBack(asked);
    throw error;
  }
  return asked;
}
