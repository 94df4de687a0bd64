import { escapeLiteral } from '../../db/driver.ts';

/** SQL that says whether an account, a row of auth_user under this alias, may log in and has a grant. */
export const holdsGrant = (account: string, grant: string): string =>
  `${account}.is_active and (${account}.is_superuser or exists (select from auth_user_groups x join auth_group g on g.id = x.auth_group_id
     where x.auth_user_id = ${account}.id and g.grants ?| array['*', ${escapeLiteral(grant)}]))`;

/** The same of the grant to read users. */
export const readsUsers = (account: string): string => holdsGrant(account, 'user:read');
