import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
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

/** The id of the account of that name, of whatever processor. @throws InputError when there is none */
export async function accountNamed(sql: Sql, name: string): Promise<number> {
  const [row] = await sql<{ id: number }>('select id from core_paymentaccount where name = $1', [name]);
  if (!row) throw new InputError({ account: `There is no payment account named ${name.slice(0, 100)}.` });
  return row.id;
}

/** Books payments of a page to an account, or to none. */
export async function savePageAccount(sql: Sql, pageId: number, accountId: number | null): Promise<void> {
  await sql(
    `insert into core_donationpage (page_ptr_id, payment_account_id) values ($1, $2)
     on conflict (page_ptr_id) do update set payment_account_id = excluded.payment_account_id`,
    [pageId, accountId],
  );
}
