import { type Sql, sql } from '../sql.ts';

// Very many people, 64 a number: a bit of `members` is the user `word` × 64 + its place. Who is among them is told without a join, a sort or a list of them.

/** The people of these rows `x`. */
export const wordsOf = (rows: Sql): Sql =>
  sql`select x.user_id >> 6 as word, bit_or(1::bigint << (x.user_id & 63)) as members from ${rows} group by 1`;

/**
 * Whether the user `u` is among them.
 * @param words SELECT of `word` and `members`, each word once. It depends on nobody, so that it is read once for a statement, into an array with a place for every 64
 * user numbers given: 8 bytes each, 12 MB at 100 million people, 268 MB at the last number there can be.
 */
export const isAmong = (words: Sql): Sql => sql`coalesce((array(
    select coalesce(r.members, 0) from generate_series(0, (select max(id) >> 6 from core_user)) n left join (${words}) r on r.word = n order by n
  ))[(u.id >> 6) + 1] >> (u.id & 63) & 1, 0) = 1`;
