import { connectionBudget, REPORT_CONNECTIONS } from '../../config/connection-budget.ts';
import type { Env } from '../../config/env.ts';
import type { Client } from '../../db/driver.ts';
import { type Finding, look, well } from '../../domain/finding.ts';

interface Room {
  /** What it is a limit of. */
  whose: string;
  used: number;
  most: number;
}

/**
 * The limits there are to our connections, the narrowest first. Of other logins' connections nothing is shown but that they are there. What is kept for superusers is no room for us.
 */
const ROOMS = `
  with others as (select usename, datname from pg_stat_activity where coalesce(backend_type, 'client backend') = 'client backend' and usename is not null)
  select whose, used, most from (
    select '' as whose, (select count(*)::int from others) as used, current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int - current_setting('reserved_connections')::int as most
    union all
    select ', which is the limit of the database', (select count(*)::int from others o where o.datname = d.datname), datconnlimit from pg_database d
      where datname = current_database() and datconnlimit >= 0
    union all
    select ', which is the limit of the login', (select count(*)::int from others where usename = rolname), rolconnlimit from pg_roles
      where rolname = session_user and rolconnlimit >= 0) rooms
  order by most - used`;

/** Whether there is room for those that its processes may still ask for. Behind a pooler it is the server's own count. */
export async function lookAtConnections(client: Client, env: Env): Promise<Finding> {
  const { whose, used, most } = (await client.query<Room>(ROOMS)).rows[0]!;
  const { api, worker } = connectionBudget(env);
  const says = `${used} of ${most}${whose} in use; an API process asks for ${api} at most, a worker for ${worker}, reports for ${REPORT_CONNECTIONS}`;
  const short = most - used < Math.max(api, worker);
  if (!short) return well('connections', says);
  return look('connections', says, `more ${whose ? 'of them (connection limit)' : 'max_connections'}, or a pooler: docs/cluster.md`);
}
