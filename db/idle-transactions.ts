import type pg from 'pg';

/**
 * PostgreSQL's setting of this name, for every transaction of ours. A process that stands still in the middle of one (stopped, suspended, its machine gone without a word) keeps its
 * connection, and with it all that it has locked: nobody but the server can take that away. What waits for its own next statement for so long has lost it.
 */
export const IDLE_LIMIT = { idle_in_transaction_session_timeout: '20s' };

const BEGIN = `begin; set local idle_in_transaction_session_timeout = '${IDLE_LIMIT.idle_in_transaction_session_timeout}'`;

/** The operator's own stays where that is less: what is set for login or database. */
const lockLimit = (ms: number) =>
  `select set_config('lock_timeout', '${ms}', true) where current_setting('lock_timeout')::interval not between '1ms' and '${ms}ms'`;

/**
 * Has the server end the transactions of a pool's connections that stand still. Said as each begins: a pooler lets nobody say it of a connection.
 * @param lockWithinMs how long each may wait for what somebody else holds: a session that was left open, an index being built. Without it, for ever
 */
export function endIdleTransactions(pool: pg.Pool, lockWithinMs?: number): void {
  const begin = lockWithinMs === undefined ? BEGIN : `${BEGIN}; ${lockLimit(lockWithinMs)}`;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((text: unknown, ...more: unknown[]) => query(text === 'begin' ? begin : text, ...more)) as never;
  });
}
