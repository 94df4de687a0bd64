import type { Connection } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType as encode } from '@temporalio/common/lib/search-attributes.js';
import { SEARCH_ATTRIBUTE } from '../workflows/contracts.ts';

/**
 * Registers the search attributes of our runs in the namespace; those already there are left as they are. It may be run at any time.
 * @throws the server's error when the namespace is absent or we may not change it
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const absent = Object.values(SEARCH_ATTRIBUTE).filter(({ name }) => !(name in (customAttributes ?? {})));
  if (!absent.length) return;
  const searchAttributes = Object.fromEntries(absent.map(({ name, type }) => [name, encode(type)!]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
