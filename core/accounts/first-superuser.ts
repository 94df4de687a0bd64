import type { MikroORM } from '@mikro-orm/postgresql';
import { sqlOf } from '../../db/orm-sql.ts';
import { hashPassword } from './password.ts';

/**
 * Makes the superuser of ADMIN_USERNAME and ADMIN_PASSWORD unless an account of that name exists: one whose password was changed since
 * keeps it. Safe when several processes start at once.
 */
export async function ensureFirstSuperuser(orm: MikroORM, env: { ADMIN_USERNAME: string; ADMIN_PASSWORD: string }): Promise<void> {
  const sql = sqlOf(orm.em.fork());
  const taken = await sql('select 1 from auth_user where username = $1', [env.ADMIN_USERNAME]);
  if (taken.length > 0) return;
  await sql(
    `insert into auth_user (username, password, is_staff, is_superuser) values ($1, $2, true, true) on conflict (username) do nothing`,
    [env.ADMIN_USERNAME, await hashPassword(env.ADMIN_PASSWORD)],
  );
}
