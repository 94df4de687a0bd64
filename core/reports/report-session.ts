import { escapeLiteral } from '../../db/driver.ts';
import { NO_TRANSACTION_LIMIT } from '../../db/no-limits.ts';
import type { BoundStatement } from '../../domain/reports/placeholders.ts';

/**
 * What the server may take for one node of a plan, whatever it allows others, and no processes beside. A statement within its bounds (domain/reports)
 * has few enough nodes for the sum to stay small.
 */
const SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  client_connection_check_interval: '2000',
  work_mem: '4MB',
  hash_mem_multiplier: '2',
  max_parallel_workers_per_gather: '0',
  join_collapse_limit: '8',
  from_collapse_limit: '8',
  jit: 'off',
};

/** What the words of MySQL's dialect mean is found first, for its statements alone. */
const MYSQL_PATH = 'mysql, pg_catalog, report';

/**
 * Begins what a statement is run in: a transaction that reads and is never committed. So its settings need no connection of their own, as those of a login
 * would behind a pooler, and whatever the statement itself sets ends with it.
 */
export function beginning({ dialect }: BoundStatement, timeoutMs: number): string {
  const settings = Object.entries({ ...SETTINGS, statement_timeout: String(timeoutMs) }).map(
    ([name, value]) => `${name} = ${escapeLiteral(value)}`,
  );
  if (dialect === 'mysql') settings.push(`search_path = ${MYSQL_PATH}`);
  return ['begin read only', `select ${NO_TRANSACTION_LIMIT}`, ...settings.map((setting) => `set local ${setting}`)].join('; ');
}
