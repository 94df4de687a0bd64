import type { Sql } from '../../db/sql.ts';
import { IMPORT_STUB } from '../../entities/donations/payment-account.ts';

/** The import-stub account pages get that name none: the oldest that is not hidden; null when there is none. */
export async function findStub(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ id: number }>(`select id from core_paymentaccount where processor = $1 and not hidden order by id limit 1`, [
    IMPORT_STUB,
  ]);
  return row?.id ?? null;
}

/** Names of the import-stub accounts that can be named, for the message that says which there are. */
export async function stubNames(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }>('select name from core_paymentaccount where processor = $1 and not hidden order by id', [
    IMPORT_STUB,
  ]);
  return rows.map(({ name }) => name);
}
