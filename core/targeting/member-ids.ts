import pg from 'pg';
import type { BoundStatement } from '../../domain/reports/placeholders.ts';
import { RebuildError } from './rebuild-error.ts';

export interface MemberReading {
  /** Login of the restricted role. */
  reportDatabaseUrl: string;
  /** Longest the statement may run, in ms. */
  timeoutMs: number;
  /** Most rows it may give. */
  maxRows: number;
  signal?: AbortSignal;
}

const LARGEST_ID = 2_147_483_647;

/**
 * The user ids a statement of somebody's gives in its first column, read under the restricted login in a read-only transaction that is
 * always rolled back. One statement of the extended protocol, streamed: its time limit is armed before it starts and covers all of it,
 * where each FETCH of a cursor would get a new one, which the statement itself could lift.
 * @throws RebuildError when the statement fails, takes too long, gives too much or something other than whole numbers
 */
export async function readMemberIds(statement: BoundStatement, reading: MemberReading): Promise<number[]> {
  const client = new pg.Client({
    connectionString: reading.reportDatabaseUrl,
    application_name: 'campaign-targeting',
    connectionTimeoutMillis: 15_000,
    statement_timeout: reading.timeoutMs,
    // A dead worker's statement ends on the server within two seconds.
    options: '-c client_connection_check_interval=2000',
    types: { getTypeParser: () => (value: unknown) => value },
  });
  client.on('error', () => undefined);
  await client.connect();
  const hangUp = () => void client.end().catch(() => undefined);
  try {
    reading.signal?.throwIfAborted();
    reading.signal?.addEventListener('abort', hangUp, { once: true });
    await client.query('begin transaction read only');
    const ids = await collectIds(client, statement, reading.maxRows);
    await client.query('rollback');
    return ids;
  } catch (error) {
    reading.signal?.throwIfAborted();
    if (error instanceof pg.DatabaseError && !isOutage(error)) throw new RebuildError([`The statement failed: ${error.message}`]);
    throw error;
  } finally {
    reading.signal?.removeEventListener('abort', hangUp);
    await client.end().catch(() => undefined);
  }
}

/** Shutdown, crash and lack of resources on the server pass by; anything else is the statement's own fault. 57014 is its time limit. */
const isOutage = (error: pg.DatabaseError): boolean => /^(08|53|57P|58|XX)/.test(error.code ?? '');

function collectIds(client: pg.Client, statement: BoundStatement, maxRows: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const ids: number[] = [];
    const query = new pg.Query({
      text: statement.text,
      values: statement.values,
      rowMode: 'array',
      queryMode: 'extended',
    } as pg.QueryConfig);
    let rows = 0;
    const giveUp = (message: string) => {
      reject(new RebuildError([message]));
      query.removeAllListeners('row');
      void client.end().catch(() => undefined);
    };
    query.on('row', (row: unknown) => {
      const value = (row as (string | null)[])[0];
      rows += 1;
      if (rows > maxRows) return giveUp(`The statement gives more than ${maxRows} rows.`);
      if (value === null || value === undefined) return;
      if (!/^-?\d{1,19}$/.test(value)) return giveUp('The first column of the statement must hold user ids, whole numbers.');
      const id = Number(value);
      if (id > 0 && id <= LARGEST_ID) ids.push(id);
    });
    query.on('error', reject);
    query.on('end', () => resolve(ids));
    client.query(query);
  });
}
