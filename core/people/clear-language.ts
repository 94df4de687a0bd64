import type { Sql } from '../../db/sql.ts';

/** People one transaction takes a language from. */
const BATCH = 1000;

/**
 * Takes a language that is about to be deleted from some of the people who have it, the first there are behind the user `after`. All at once, whoever of them acted or was written
 * about meanwhile would wait for the last of them, each on a connection everybody else has need of.
 * @returns the last of them; null when the rest may go with the language
 */
export async function clearLanguage(sql: Sql, languageId: number, after: number): Promise<number | null> {
  const found = await sql<{ id: number }>(
    'select id from core_user where lang_id = $1 and id > $2 order by id limit $3 for no key update',
    [languageId, after, BATCH],
  );
  if (found.length < BATCH) return null;
  const ids = found.map(({ id }) => id);
  await sql('update core_user set lang_id = null where id = any($1::int[])', [ids]);
  return ids.at(-1)!;
}
