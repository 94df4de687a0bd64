import type { MikroORM } from '@mikro-orm/postgresql';
import type { Env } from '../../config/env.ts';
import type { Tables } from '../../entities/tables.ts';
import { readMailbox } from '../../mail/address.ts';
import { hashPassword } from './password.ts';

/**
 * Makes the superuser of ADMIN_USERNAME and ADMIN_PASSWORD unless an account of that name exists: one whose password was changed since
 * keeps it. It has an address, for what is sent to the submitter of a mailing. Safe when several processes start at once.
 * @throws InputError where the address would be that of DEFAULT_FROM, which has none
 */
export async function ensureFirstSuperuser(
  orm: MikroORM,
  env: Pick<Env, 'ADMIN_USERNAME' | 'ADMIN_PASSWORD' | 'ADMIN_EMAIL' | 'DEFAULT_FROM'>,
): Promise<void> {
  const kysely = orm.em.fork().getKysely<Tables>();
  const username = env.ADMIN_USERNAME;
  const taken = await kysely.selectFrom('auth_user').where('username', '=', username).select('id').executeTakeFirst();
  if (taken) return;
  const email = env.ADMIN_EMAIL ?? readMailbox(env.DEFAULT_FROM, 'DEFAULT_FROM').address;
  const password = await hashPassword(env.ADMIN_PASSWORD);
  await kysely
    .insertInto('auth_user')
    .values({ username, email, password, is_staff: true, is_superuser: true })
    .onConflict((taken) => taken.column('username').doNothing())
    .execute();
}
