import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../../api/deps.ts';
import { type Sql, sqlOn } from '../../db/sql.ts';

/** Longest a search takes. */
const SEARCH_MS = 4000;

/**
 * A search that is given up when it takes long: of those with a common last name, each is asked for the first.
 * @throws UnavailableError
 */
export const inTime = <Result>({ longReads }: ApiContext, request: FastifyRequest, work: (sql: Sql) => Promise<Result>): Promise<Result> =>
  longReads.inTurn(request, async (client) => {
    await client.query(`set local statement_timeout = ${SEARCH_MS}`);
    return work(sqlOn(client));
  });
