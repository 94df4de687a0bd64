import type { Sql } from '../../db/sql.ts';
import { nobodyWentSince } from '../people/who-went.ts';
import { withoutItsWords } from './report-bounds.ts';

/**
 * What was told of statements, as it may be written down, in the transaction `sql` runs in, which is to be short from here: whole, and where somebody has been erased since they
 * were begun without the server's words, which may name them.
 * @param gone `goneSoFar` before they were begun
 */
export const toldSince = async (sql: Sql, gone: string | null, told: string[]): Promise<string[]> =>
  (await nobodyWentSince(sql, gone)) ? told : told.map(withoutItsWords);
