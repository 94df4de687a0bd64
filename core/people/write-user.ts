import type { Sql } from '../../db/sql.ts';
import { ADDRESS_COLUMNS, type Address } from '../../domain/people/address.ts';
import { addressParts, type CorrectedAddress, correctSent, locateUser } from '../geo/place-user.ts';
import { readCustomFields, saveUserFields } from './custom-fields.ts';
import { refuseErased } from './erased.ts';
import { readPhones, savePhones } from './phones.ts';
import { touchUser } from './single-fields.ts';

/**
 * Corrects an address before it is written, so that the row is written once.
 * @param id of the user; 0 before there is one
 * @param values of the row, which are changed
 * @returns the address as it came in and corrected; null where no part of one is written
 */
export async function correctUser(sql: Sql, id: number, values: Record<string, unknown>): Promise<CorrectedAddress | null> {
  const parts = addressParts(values);
  if (parts.size === 0) return null;
  const [stored = null] = id ? await sql<Address>(`select ${ADDRESS_COLUMNS.join(', ')} from core_user where id = $1`, [id]) : [];
  const sent = Object.fromEntries([...parts].map((part) => [part, values[part]])) as Partial<Address>;
  const corrected = correctSent(stored, sent);
  for (const column of ADDRESS_COLUMNS) {
    if (column in sent || corrected.address[column] !== corrected.received[column]) values[column] = corrected.address[column];
  }
  return corrected;
}

/** What a row of core_user does not hold. What is absent stays as it is. */
export interface BesideUser {
  fields?: Record<string, unknown> | undefined;
  phones?: unknown[] | undefined;
  address?: CorrectedAddress | null | undefined;
}

/**
 * After the row is written: custom fields, phones, the address as received and the place. Who was erased is given none.
 * @param strict whether custom fields nobody declared are refused
 * @throws InputError
 */
export async function saveBesideUser(sql: Sql, id: number, { fields, phones, address }: BesideUser, strict: boolean): Promise<void> {
  if (fields !== undefined) {
    const came = await saveUserFields(sql, id, readCustomFields(fields, 'fields'), strict ? 'refused' : 'declared');
    if (came) await refuseErased(sql, id, 'fields');
  }
  if (phones !== undefined && (await savePhones(sql, id, readPhones(phones)))) {
    if (phones.length > 0) await refuseErased(sql, id, 'phones');
    await touchUser(sql, id);
  }
  if (address) await locateUser(sql, id, address);
}
