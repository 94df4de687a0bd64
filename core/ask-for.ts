import { UncertainError } from '../domain/errors.ts';
import type { Asking } from './deps.ts';
import { forgetPush, keepPush, keptAt, once, type Repeatable } from './once.ts';

interface Steps<Asked> {
  /** In one transaction. */
  write: (sql: Asking<never>['sql']) => Promise<Asked>;
  start: (asked: Asked) => Promise<unknown>;
  /** Makes it as it was before. A run that was started all the same finds nothing to do, and ends. `started`: another one has started it meanwhile, and it stays. */
  takeBack: (asked: Asked) => Promise<'taken back' | 'started'>;
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
    if (error instanceof UncertainError) throw error;
    const became = await takeBack(asked).catch((failure: Error) => {
      // The row stays, and with it what the sweep starts.
      throw new UncertainError('What was asked for could neither be started nor taken back; it may be started.', { cause: failure });
    });
    if (became === 'taken back') throw error;
  }
  return asked;
}

/** Of what is asked for once. */
interface StepsOnce<Asked> extends Pick<Steps<Asked>, 'write'> {
  /** The row by which a later one is answered. */
  idOf: (asked: Asked) => number;
  start: (id: number) => Promise<unknown>;
  /** As above, in one transaction with the key: one that was left behind would answer for what is not there. */
  takeBack: (asked: Asked, sql: Asking<never>['sql']) => Promise<void>;
}

/**
 * The same for a button that may be pressed twice, or a request that may be sent again: what it asks for is asked for once.
 * @returns the id of the row
 */
export async function askForOnce<Asked>(
  deps: Pick<Asking<never>, 'transaction' | 'sql'>,
  press: Repeatable | undefined,
  steps: StepsOnce<Asked>,
): Promise<number> {
  const { write, idOf, start, takeBack } = steps;
  const { id, isLater } = await askFor<{ id: number; isLater: boolean; first?: { asked: Asked; at: string | null } }>(deps, {
    write: async (sql) => {
      let first: { asked: Asked; at: string | null } | undefined;
      const id = await once(sql, press, async () => {
        first = { asked: await write(sql), at: null };
        return idOf(first.asked);
      });
      if (first && press?.idempotencyKey) first.at = await keptAt(sql, press);
      return { id, isLater: first === undefined, ...(first && { first }) };
    },
    // A later press is answered alone: while the first one waits for a start that fails, it would say that it is done.
    start: (asked) => start(asked.id),
    takeBack: async ({ id, first }) => {
      // What the first one has started is not for a later one to take back.
      if (first === undefined) return 'taken back';
      return deps.transaction(async (sql) => {
        if (first.at !== null && press && !(await forgetPush(sql, press, id, first.at))) return 'started';
        await takeBack(first.asked, sql);
        return 'taken back';
      });
    },
  });
  // What the first one could not start, and has taken back while this one could: there is nothing that was started, and this one is the first.
  if (isLater && press && !(await keepPush(deps.sql, press, id))) return askForOnce(deps, press, steps);
  return id;
}
