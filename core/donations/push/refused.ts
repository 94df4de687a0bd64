import type { Pool } from '../../../db/driver.ts';
import { type Sql, sqlOn } from '../../../db/sql.ts';
import { readAnyAkid } from '../../../domain/akid.ts';
import { ConflictError, InputError, PushError } from '../../../domain/errors.ts';
import { uriOf } from '../../../domain/uris.ts';
import { keptAddress } from '../../../mail/address.ts';
import { EMPTIED } from '../../people/emptied-address.ts';
import type { DonationInput } from './donation-input.ts';

/** What a violated unique key of a donation push means to the caller; other errors as they are. */
export async function translated(error: unknown, pool: Pool, { order }: DonationInput): Promise<unknown> {
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code !== '23505') return error;
  if (constraint === 'core_orderrecurring_recurring_id_key') {
    return new PushError({
      order: { recurring_id: [`There is a recurring profile ${order.recurring?.id} on this payment account already.`] },
    });
  }
  if (constraint !== 'core_order_import_id_unique') return error;
  const [holder] = await sqlOn(pool)<{ id: number }>('select id from core_order where import_id = $1', [order.importId]);
  return new ConflictError('donation_import_id', order.importId!, holder ? uriOf('order', holder.id) : null);
}

const LONGEST = 500;

/**
 * Does a push; when it is refused, that is written down, and whose it was, so that somebody can ask them; nothing else of it was kept. Whatever goes
 * wrong with that does not change the answer.
 */
export async function recordingRefusal<Result>(
  { pool, secret }: { pool: Pool; secret: string },
  body: unknown,
  push: () => Promise<Result>,
): Promise<Result> {
  try {
    return await push();
  } catch (error) {
    if (error instanceof PushError || error instanceof InputError) await record(sqlOn(pool), secret, body, error).catch(() => undefined);
    throw error;
  }
}

async function record(sql: Sql, secret: string, body: unknown, error: PushError | InputError): Promise<void> {
  const { user, donationpage } = (body ?? {}) as Record<string, Record<string, unknown> | null | undefined>;
  // As pushes take them: by the address it is found again, and erased.
  const text = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed().trim().slice(0, LONGEST) : '');
  const name = [text(user?.['first_name']), text(user?.['last_name'])].filter((each) => each !== '').join(' ') || text(user?.['name']);
  // The fields and what kind of thing was wrong; messages may hold values.
  const errors = error instanceof PushError ? error.body : error.fields;
  const fields = Object.fromEntries(Object.entries(errors).map(([key, value]) => [key, Array.isArray(value) ? [] : Object.keys(value)]));
  const given = text(user?.['email']);
  const named = given ? null : readAnyAkid(secret, text(user?.['akid']));
  // Whom the akid names: a name without an address could not be erased. Nothing is kept of somebody erased, and who is being erased is waited for.
  await sql(
    `with person as (
       select case when ${EMPTIED} then '' else u.email end as email, ${EMPTIED} as erased from core_user u where u.id = core_present_user($5::int) for key share)
     insert into core_donationattempt (email, name, page, errors)
     select coalesce(person.email, $1), case when person.erased then '' else $2 end, $3, $4
     from (select 1) one left join person on true`,
    [given ? (keptAddress(given) ?? given) : '', name, text(donationpage?.['name']), JSON.stringify(fields), named?.userId ?? null],
  );
}
