import type { Sql } from '../../db/sql.ts';
import { ADDRESS_COLUMNS, type Address, type AddressColumn, correctAddress, isKeptAsReceived } from '../../domain/people/address.ts';
import { locateMany } from './locate-many.ts';
import { centroidOf, stateCode } from './zip-centroids.ts';

/** An address about to be written. */
export interface CorrectedAddress {
  /** With what is stored, as it came in. */
  received: Address;
  address: Address;
}

/**
 * Corrects an address before it is written.
 * @param stored of the row as it is; null when it is new
 * @param sent the parts that are to be written
 */
export function correctSent(stored: Address | null, sent: Partial<Address>): CorrectedAddress {
  const received = { ...(stored ?? NO_ADDRESS), ...sent };
  return { received, address: correctAddress(received, addressParts(sent), stored?.zip ?? '', centroidOf, stateCode) };
}

/** After the row is written: keeps a US address as it was first received, and makes the estimated location anew. */
export async function locateUser(sql: Sql, userId: number, { received, address }: CorrectedAddress): Promise<void> {
  await locateMany(sql, [{ userId, received: isKeptAsReceived(received) ? received : null, address }]);
}

/**
 * Corrects the address of a user whose row has just been written, keeps a US address as it was first received, and makes the estimated location
 * anew. Run inside the transaction of the write. Data that is missing (districts nobody loaded, a zip nobody knows) leaves its part empty.
 * @param sent the parts of the address that were written; with none of them nothing is done
 * @param previousZip of the row before the write, empty when it is new
 */
export async function placeUser(sql: Sql, userId: number, sent: ReadonlySet<AddressColumn>, previousZip: string): Promise<void> {
  if (sent.size === 0) return;
  const [received] = await sql<Address>(`select ${ADDRESS_COLUMNS.join(', ')} from core_user where id = $1`, [userId]);
  if (!received) return;
  const address = correctAddress(received, sent, previousZip, centroidOf, stateCode);
  const changed = ADDRESS_COLUMNS.filter((column) => address[column] !== received[column]);
  if (changed.length > 0) {
    const sets = changed.map((column, index) => `${column} = $${index + 2}`);
    await sql(`update core_user set ${sets.join(', ')} where id = $1`, [userId, ...changed.map((column) => address[column])], true);
  }
  await locateUser(sql, userId, { received, address });
}

/** Which parts of an address a change of a user's row writes, by property or column: all are named alike in both. */
export const addressParts = (values: object): Set<AddressColumn> =>
  new Set(ADDRESS_COLUMNS.filter((column) => Object.hasOwn(values, column)));

const NO_ADDRESS = Object.fromEntries(ADDRESS_COLUMNS.map((column) => [column, ''])) as Address;
