import type { Env } from '../../../config/env.ts';
import type { Sql } from '../../../db/sql.ts';
import { readAnyAkid } from '../../../domain/akid.ts';
import { InputError, PushError } from '../../../domain/errors.ts';
import { addressParts, placeUser } from '../../geo/place-user.ts';
import { saveUserFields } from '../../people/custom-fields.ts';
import { isErased } from '../../people/erased.ts';
import { type HeldPerson, holdPerson, makePerson, updatePerson } from '../../people/one-person.ts';
import { holdPresentUser } from '../../people/present-user.ts';
import type { DonationInput } from './donation-input.ts';

/** Who donated, and whose mail led there. */
export interface Donor {
  id: number;
  created: boolean;
  /** Of the action: the mailing of the donor's own akid. */
  mailingId: number | null;
  /** Somebody else's akid was used: they brought the donor along. */
  referrer: { userId: number; mailingId: number | null } | null;
  source: string;
  /** Lists the donor is not on yet, of those they are to go on. */
  newLists: number[];
  /** The akid that was sent, where it names somebody. */
  takenWith: string;
}

const DEFAULT_SOURCE = 'restful_api';

/**
 * Finds the donor, or makes them, and keeps what was sent about them.
 * @throws PushError
 */
export async function findDonor(sql: Sql, input: DonationInput, languageId: number | null, listIds: number[], env: Env): Promise<Donor> {
  const { user, action } = input;
  const origin = user.akid === null ? null : await readOrigin(sql, user.akid, user.email === null, env.SECRET_KEY);
  const source = action.source || (origin?.mailingId ? String(origin.mailingId) : '') || user.source || DEFAULT_SOURCE;
  const known = user.email === null ? origin : await holdPerson(sql, { email: user.email });
  const made = known === null ? await make(sql, input, source, languageId) : null;
  const found = known ?? (made === null ? await holdPerson(sql, { email: user.email! }) : { id: made, zip: '', source });
  if (found === null) throw new PushError({ user: { email: ['This person was deleted or erased.'] } });
  const { id, zip } = found;
  // Somebody's source is that of their first action: one they have stays unless another is given for them.
  const ownSource = user.source || (found.source === '' ? source : '');
  if (made === null) await updatePerson(sql, id, { ...user.person, ...(ownSource && { source: ownSource }) });
  await placeUser(sql, id, addressParts(user.person), zip);
  try {
    await saveUserFields(sql, id, user.fields, env.STRICT_USER_FIELDS ? 'refused' : 'declared');
  } catch (error) {
    if (error instanceof InputError) throw new PushError({ user: error.fields });
    throw error;
  }
  const own = origin?.id === id;
  return {
    id,
    created: made !== null,
    mailingId: own ? origin.mailingId : null,
    referrer: own || origin === null ? null : { userId: origin.id, mailingId: origin.mailingId },
    source,
    newLists: made !== null ? listIds : await listsToGoOn(sql, id, listIds),
    takenWith: origin === null ? '' : user.akid!,
  };
}

type Origin = HeldPerson & { mailingId: number | null };

/** An akid that proves nothing is left aside where the address says who donated, as in actions. @param alone nothing else says it */
async function readOrigin(sql: Sql, akid: string, alone: boolean, secret: string): Promise<Origin | null> {
  const origin = readAnyAkid(secret, akid);
  const present = origin ? await holdPresentUser(sql, origin.userId) : null;
  const held = present === null ? null : await holdPerson(sql, { id: present });
  const nobody = held === null || (alone && (await isErased(sql, held.id)));
  if (!nobody) return { ...held, mailingId: origin!.mailingId };
  if (!alone) return null;
  throw new PushError({ user: { akid: [origin ? 'akid names nobody.' : 'akid is not a valid akid.'] } });
}

/** @returns null when another push has just made the same person */
async function make(sql: Sql, { user, action, order }: DonationInput, source: string, languageId: number | null): Promise<number | null> {
  if (!user.person.first_name && !user.person.last_name) {
    throw new PushError({ user: { name: ['A name (first_name, last_name) is required: there is no user with this email yet.'] } });
  }
  return makePerson(sql, {
    email: user.email,
    source: user.source || action.source || source,
    lang_id: languageId,
    ...(order.createdAt && { created_at: order.createdAt }),
    ...user.person,
  });
}

/** Exact until the transaction ends: who changes somebody's lists holds their row first, and here it is held already. */
async function listsToGoOn(sql: Sql, userId: number, listIds: number[]): Promise<number[]> {
  if (listIds.length === 0) return [];
  const rows = await sql<{ list_id: number }>('select list_id from core_subscription where user_id = $1 and list_id = any($2::int[])', [
    userId,
    listIds,
  ]);
  return listIds.filter((id) => !rows.some(({ list_id }) => list_id === id));
}
