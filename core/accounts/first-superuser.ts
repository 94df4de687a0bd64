import type { MikroORM } from '@mikro-orm/postgresql';
import type { Tables } from '../../entities/tables.ts';
import { hashPassword } from './password.ts';

/**
 * Makes the superuser of ADMIN_USERNAME and ADMIN_PASSWORD unless an account of that name exists: one whose password was changed since
 * keeps it. Safe when several processes start at once.
 */
export async function ensureFirstSuperuser(orm: MikroORM, env: { ADMIN_USERNAME: string; ADMIN_PASSWORD: string }): Promise<void> {
  const kysely = orm.em.fork().getKysely<Tables>();
  const username = env.ADMIN_USERNAME;
  const taken = await kysely.selectFrom('auth_user').where('username', '=', username).select('id').executeTakeFirst();
  if (taken) return;
  const password = await hashPassword(env.ADMIN_PASSWORD);
  await kysely
    .insertInto('auth_user')
    .values({ username, password, is_staff: true, is_superuser: true })
    .onConflict((taken) => taken.column('username').doNothing())
    .execute();
}
