import type pg from 'pg';
import { cancelStatement } from './cancel-request.ts';

/** Set on errors of what may have been committed: a COMMIT, or a statement that commits by itself, that got no answer or none that is certain. */
const MARK = 'commitUncertain';

/** Connections that were lost: whatever else a statement fails with is the server's word that nothing was committed. */
const LOST = /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout)/;
const LOST_CODES = /^(ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ECONNABORTED|08...|57P0.)$/;

const BEGINS = /^\s*(begin|start\s+transaction)\b/i;
const ENDS = /^\s*(commit|rollback(?!\s+to)|end)\b/i;
const COMMITS = /^\s*(commit|end)\b/i;
/** What changes something, or may: functions that write are called in statements that say so. */
const WRITES = /\b(insert|update|delete|merge|truncate|copy|create|alter|drop)\b/i;

/**
 * A transaction that has written nothing waits for no standby at its end, though what it found done may be of one whose commit is not confirmed, as where a request is sent again under its
 * key. So it writes a line into the log that no table shows, and waits as that one does.
 */
const COMMIT = `select pg_logical_emit_message(true, 'campaign', '') where pg_current_xact_id_if_assigned() is null and not pg_is_in_recovery(); commit`;

/** The place in the server's source that says of a commit that its standby was not waited for; its words are in the server's language. */
const NOT_WAITED_FOR = 'SyncRepWaitForLSN';
/** So long after it was asked to give up, a server that still does not answer cannot be reached. */
const GIVE_UP_MS = 3_000;

/** How long may be waited, in milliseconds; without a limit, for ever. */
export interface CommitLimits {
  /** A COMMIT: all its work is done, so that it can only be a disk or a standby that keeps it. */
  commitWithinMs?: number | undefined;
  /** A statement outside a transaction, its work counted, and the beginning of one. */
  aloneWithinMs?: number | undefined;
  /** What somebody else holds, inside a transaction; less where the operator says so. */
  lockWithinMs?: number | undefined;
}

/** Of a process in which somebody waits for each answer. */
export const commitLimits = ({ COMMIT_SECONDS: seconds }: { COMMIT_SECONDS?: number }): CommitLimits =>
  seconds === undefined ? {} : { commitWithinMs: seconds * 1000, aloneWithinMs: seconds * 1000, lockWithinMs: seconds * 1000 };

/** A primary has committed, and its synchronous standby has not said that it has it, too: should the standby take over now, it was never made. */
export class UnconfirmedError extends Error {
  readonly [MARK] = true;

  constructor() {
    super('the database has not confirmed a commit: its standby may be away');
  }
}

/** Whether the connection was lost while a change was being committed, or its standby was not waited for: then it may have been made. */
export const isCommitUncertain = (error: unknown): boolean => (error as Record<string, unknown> | null)?.[MARK] === true;

/** Of work in several transactions, some of which are committed: what the next one fails with is no word that nothing was. */
export const markUncertain = (error: Error): Error => Object.assign(error, { [MARK]: true });

/**
 * Has a pool's connections mark the errors of what may have been committed though nobody knows.
 *
 * A synchronous standby that is gone keeps every commit waiting, for as long as it is gone, and no time limit of the server ends that. Past ours the wait is
 * cancelled, which leaves the change on the primary alone; the server says so in a notice, and we in an error. So no connection and no lock is held by those
 * who have given up. What waits outside a transaction for a table that is held, or a server that stands still, is ended the same way.
 */
export function markLostCommits(pool: pg.Pool, { commitWithinMs, aloneWithinMs, lockWithinMs }: CommitLimits = {}): void {
  pool.on('connect', (client) => {
    const ask = client.query.bind(client) as (...given: unknown[]) => unknown;
    const query = (...[text, ...more]: unknown[]) => ask(lockWithinMs !== undefined && text === 'commit' ? COMMIT : text, ...more);
    let inTransaction = false;
    let confirmed = true;
    client.on('notice', ({ routine }) => {
      if (routine === NOT_WAITED_FOR) confirmed = false;
    });
    const marking = (...given: unknown[]) => {
      const { commits, writes, begins, ends } = kindOf(textOf(given[0]));
      const isAlone = !inTransaction && !ends;
      const mayCommit = commits || (isAlone && writes);
      if (begins) inTransaction = true;
      else if (ends) inTransaction = false;
      const withinMs = commits ? commitWithinMs : isAlone ? aloneWithinMs : undefined;
      if (!mayCommit && withinMs === undefined) return query(...given);
      confirmed = true;
      let calledOff = false;
      const stop = limit(client, withinMs, () => {
        calledOff = true;
      });
      const ended = (error: Error | null) => {
        stop();
        if (!mayCommit) return error;
        if (error) return !confirmed || isLost(error) ? markUncertain(error) : error;
        // Where the login gets no notices (client_min_messages), nobody says that the wait was given up at our word.
        return confirmed && !calledOff ? null : new UnconfirmedError();
      };
      const told = given.at(-1);
      // A pool asks with a callback, everybody else with a promise.
      if (typeof told === 'function') {
        return query(...given.slice(0, -1), (error: Error | null, result: unknown) => {
          const failure = ended(error);
          return failure ? told(failure) : told(null, result);
        });
      }
      const answer = query(...given);
      if (!(answer instanceof Promise)) {
        stop();
        return answer;
      }
      return answer.then(
        (result) => {
          const failure = ended(null);
          if (failure) throw failure;
          return result;
        },
        (error: Error) => {
          throw ended(error);
        },
      );
    };
    client.query = marking as never;
  });
}

/**
 * Has a connection give up what it waits for when the time is over: in order if the server hears of it, else by force.
 * @param over told when it is
 * @returns calls that off
 */
function limit(client: pg.PoolClient, withinMs: number | undefined, over: () => void): () => void {
  if (withinMs === undefined) return () => {};
  let timer = setTimeout(() => {
    over();
    cancelStatement(client);
    timer = setTimeout(() => (client as pg.PoolClient & { connection: pg.Connection }).connection.stream.destroy(), GIVE_UP_MS);
  }, withinMs);
  return () => clearTimeout(timer);
}

const isLost = (error: Error & { code?: string }): boolean => LOST.test(error.message) || LOST_CODES.test(error.code ?? '');

/** What a statement is, as far as commits go. */
interface Kind {
  begins: boolean;
  ends: boolean;
  commits: boolean;
  writes: boolean;
}

/** The statements of this process are few, but each is run often. */
const KINDS = new Map<string, Kind>();
const MOST_KINDS = 2_000;
const LONGEST_KEPT = 10_000;

function kindOf(text: string): Kind {
  const known = KINDS.get(text);
  if (known) return known;
  const kind = { begins: BEGINS.test(text), ends: ENDS.test(text), commits: COMMITS.test(text), writes: WRITES.test(text) };
  if (text.length > LONGEST_KEPT) return kind;
  if (KINDS.size >= MOST_KINDS) KINDS.clear();
  KINDS.set(text, kind);
  return kind;
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : String((given as { text?: unknown } | null)?.text ?? ''));
