import type { Sql } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { isCanceled } from '../../domain/recurring.ts';
import type { RecurringStatus } from '../../domain/words.ts';
import { NOW, statement, tables } from '../../entities/tables.ts';
import { CREATED_SECOND } from './change-order.ts';
import { completeMoney, type Given } from './changed-money.ts';

const profileOf = statement(({ id }: { id: number }) =>
  tables
    .selectFrom('core_orderrecurring')
    .where('id', '=', id)
    .select(['status', 'currency', 'recurring_id', 'account_id', 'canceled_at', NOW.as('now'), CREATED_SECOND.as('created_second')])
    .select(({ cast }) => [cast<string>('amount', 'text').as('amount'), cast<string>('amount_converted', 'text').as('amount_converted')]),
);

/** Adds to a change of a recurring profile what follows from it in its own row. The row is held. @throws InputError by field */
export async function completeProfile(sql: Sql, id: number, given: Given): Promise<void> {
  const [before] = await profileOf(sql, { id });
  if (!before) throw new NotFoundError();
  await completeMoney(sql, given, before);
  if (given['cardNum'] !== undefined) given['cardNum'] = (given['cardNum'] as string).slice(-4);
  if (given['status'] !== undefined) {
    given['canceledAt'] = isCanceled(given['status'] as RecurringStatus) ? (before.canceled_at ?? before.now) : null;
  }
  // Both, since together they are unique: a conflict is told by who holds the two.
  given['account'] ??= before.account_id;
  given['recurringId'] ??= before.recurring_id;
}
