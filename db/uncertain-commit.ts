import type pg from 'pg';

/** Set on errors of a COMMIT that got no answer. */
const MARK = 'commitUncertain';

/** Connections that were lost: whatever else a COMMIT fails with is the server's word that nothing was committed. */
const LOST = /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout)/;
const LOST_CODES = /^(ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|08...|57P0.)$/;

/** Whether the connection was lost while a change was being committed: then it may have been made. */
export const isCommitUncertain = (error: unknown): boolean => (error as Record<string, unknown> | null)?.[MARK] === true;

/** Has a pool's connections mark the errors of commits whose outcome nobody knows. */
export function markLostCommits(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    const marking = (...given: unknown[]) => {
      const answer = query(...given);
      if (!/^\s*commit\b/i.test(textOf(given[0])) || !(answer instanceof Promise)) return answer;
      return answer.catch((error: Error & { code?: string }) => {
        if (LOST.test(error.message) || LOST_CODES.test(error.code ?? '')) Object.assign(error, { [MARK]: true });
        throw error;
      });
    };
    client.query = marking as never;
  });
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : String((given as { text?: unknown } | null)?.text ?? ''));
