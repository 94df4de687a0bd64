import type pg from 'pg';

/** Set on errors of what may have been committed: a COMMIT, or a statement that commits by itself, that got no answer. */
const MARK = 'commitUncertain';

/** Connections that were lost: whatever else a statement fails with is the server's word that nothing was committed. */
const LOST = /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout)/;
const LOST_CODES = /^(ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|08...|57P0.)$/;

const BEGINS = /^\s*(begin|start\s+transaction)\b/i;
const ENDS = /^\s*(commit|rollback(?!\s+to)|end)\b/i;
const COMMITS = /^\s*(commit|end)\b/i;
/** What changes something, or may: functions that write are called in statements that say so. */
const WRITES = /\b(insert|update|delete|merge|truncate|copy|create|alter|drop)\b/i;

/** Whether the connection was lost while a change was being committed: then it may have been made. */
export const isCommitUncertain = (error: unknown): boolean => (error as Record<string, unknown> | null)?.[MARK] === true;

/** Has a pool's connections mark the errors of what may have been committed though nobody knows. */
export function markLostCommits(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    let inTransaction = false;
    const marking = (...given: unknown[]) => {
      const text = textOf(given[0]);
      const mayCommit = COMMITS.test(text) || (!inTransaction && WRITES.test(text));
      if (BEGINS.test(text)) inTransaction = true;
      else if (ENDS.test(text)) inTransaction = false;
      if (!mayCommit) return query(...given);
      const told = given.at(-1);
      // A pool asks with a callback, everybody else with a promise.
      if (typeof told === 'function')
        return query(...given.slice(0, -1), (error: Error | null, result: unknown) => told(marked(error), result));
      const answer = query(...given);
      return answer instanceof Promise ? answer.catch((error: Error) => Promise.reject(marked(error))) : answer;
    };
    client.query = marking as never;
  });
}

function marked(error: (Error & { code?: string }) | null): Error | null {
  if (error && (LOST.test(error.message) || LOST_CODES.test(error.code ?? ''))) Object.assign(error, { [MARK]: true });
  return error;
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : String((given as { text?: unknown } | null)?.text ?? ''));
