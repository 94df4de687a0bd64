import type { Pool } from '../../db/driver.ts';

/** What may be known of somebody by whoever has a link from their mail. */
export interface PublicUser {
  id: number;
  first_name: string;
  last_name: string;
  lang_id: number | null;
  iso_code: string | null;
  language: string | null;
}

const PUBLIC_USER = {
  name: 'public-user',
  text: `select u.id, u.first_name, u.last_name, u.lang_id, l.iso_code, l.name as language
    from core_user u left join core_language l on l.id = u.lang_id where u.id = $1`,
};

export async function findPublicUser(pool: Pool, id: number): Promise<PublicUser | null> {
  const { rows } = await pool.query<PublicUser>({ ...PUBLIC_USER, values: [id] });
  return rows[0] ?? null;
}
