import type { Pool } from '../../db/driver.ts';
import { preparedOn } from '../../db/prepared.ts';
import { statement, tables } from '../../entities/tables.ts';

/** What may be known of somebody by whoever has a link from their mail. */
export interface PublicUser {
  id: number;
  first_name: string;
  last_name: string;
  lang_id: number | null;
  iso_code: string | null;
  language: string | null;
}

const shown = statement(({ id }: { id: number }) =>
  tables
    .selectFrom('core_user as u')
    .leftJoin('core_language as l', 'l.id', 'u.lang_id')
    .where('u.id', '=', id)
    .select(['u.id', 'u.first_name', 'u.last_name', 'u.lang_id', 'l.iso_code', 'l.name as language']),
);

export async function findPublicUser(pool: Pool, id: number): Promise<PublicUser | null> {
  const [user] = await shown(preparedOn(pool), { id });
  return user ?? null;
}
