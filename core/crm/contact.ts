import type { Pool } from '../../db/driver.ts';
import { fieldsSql } from '../people/custom-fields.ts';
import { ERASED } from '../people/erased.ts';
import type { Contact } from './crm.ts';

/** A user as the CRM gets them, and of when that is: PostgreSQL's text of `updated_at`, to the microsecond. */
export interface ReadContact {
  contact: Contact;
  seenAt: string;
}

/**
 * @param fields names of the custom user fields sent along
 * @returns null when there is no such user, or they were erased, be it since they were found to be sent
 */
export async function readContact(pool: Pool, userId: number, externalRef: string, fields: string[]): Promise<ReadContact | null> {
  const { rows } = await pool.query({
    name: 'crm-contact',
    text: `
      select u.email, u.prefix, u.first_name, u.middle_name, u.last_name, u.suffix, u.address1, u.address2, u.city, u.state, u.region, u.zip,
        u.postal, u.country, u.subscription_status, nullif(l.iso_code, '') as language, u.updated_at::text as seen_at,
        case when $2 then ${fieldsSql('core_userfield', 'u.id')} else '{}' end as fields
      from core_user u left join core_language l on l.id = u.lang_id where u.id = $1 and not ${ERASED}`,
    values: [userId, fields.length > 0],
  });
  if (!rows[0]) return null;
  const { seen_at: seenAt, fields: all, ...person } = rows[0];
  const sent = Object.fromEntries(fields.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
  return { contact: { external_ref: externalRef, ...person, fields: sent }, seenAt };
}
