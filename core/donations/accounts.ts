import type { Sql } from '../../db/sql.ts';
import { InputError } from '../../domain/errors.ts';
import { IMPORT_STUB } from '../../entities/donations/payment-account.ts';
import { run, statement, tables } from '../../entities/tables.ts';

const stubs = tables.selectFrom('core_paymentaccount').where('processor', '=', IMPORT_STUB).where('hidden', '=', false).orderBy('id');
const oldestStub = statement((_: object) => stubs.select('id').limit(1));
const withName = statement(({ name }: { name: string }) => tables.selectFrom('core_paymentaccount').where('name', '=', name).select('id'));

/** The import-stub account pages get that name none: the oldest that is not hidden; null when there is none. */
export async function findStub(sql: Sql): Promise<number | null> {
  const [row] = await oldestStub(sql, {});
  return row?.id ?? null;
}

/** Names of the import-stub accounts that can be named, for the message that says which there are. */
export async function stubNames(sql: Sql): Promise<string[]> {
  const rows = await run(sql, stubs.select('name'));
  return rows.map(({ name }) => name);
}

/** The id of the account of that name, of whatever processor. @throws InputError when there is none */
export async function accountNamed(sql: Sql, name: string): Promise<number> {
  const [row] = await withName(sql, { name });
  if (!row) throw new InputError({ account: `There is no payment account named ${name.slice(0, 100)}.` });
  return row.id;
}

/** Books payments of a page to an account, or to none. */
export async function savePageAccount(sql: Sql, pageId: number, accountId: number | null): Promise<void> {
  const payment_account_id = accountId;
  const page = tables.insertInto('core_donationpage').values({ page_ptr_id: pageId, payment_account_id });
  await run(
    sql,
    page.onConflict((there) => there.column('page_ptr_id').doUpdateSet({ payment_account_id })),
  );
}
