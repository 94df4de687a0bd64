import type pg from 'pg';

/**
 * PostgreSQL's setting of this name, for every transaction of ours. A process that stands still in the middle of one (stopped, suspended, its machine gone without a word) keeps its
 * connection, and with it all that it has locked: nobody but the server can take that away. What waits for its own next statement for so long has lost it.
 */
export const IDLE_LIMIT = { idle_in_transaction_session_timeout: '20s' };

const BEGIN = `begin; set local idle_in_transaction_session_timeout = '${IDLE_LIMIT.idle_in_transaction_session_timeout}'`;

/** Has the server end the transactions of a pool's connections that stand still. Said as each begins: a pooler lets nobody say it of a connection. */
export function endIdleTransactions(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    client.query = ((text: unknown, ...more: unknown[]) => query(text === 'begin' ? BEGIN : text, ...more)) as never;
  });
}
