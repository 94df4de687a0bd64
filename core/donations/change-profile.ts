import type { Sql } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { isCanceled } from '../../domain/recurring.ts';
import type { RecurringStatus } from '../../domain/words.ts';
import { completeMoney, type Given, type MoneyBefore } from './changed-money.ts';

interface ProfileRow extends MoneyBefore {
  recurring_id: string;
  account_id: number;
  canceled_at: unknown;
}

const READ = `
  select amount::text, amount_converted::text, currency, recurring_id, account_id, canceled_at,
    extract(epoch from date_trunc('second', created_at))::float8 as created_second
  from core_orderrecurring where id = $1`;

/** Adds to a change of a recurring profile what follows from it in its own row. The row is held. @throws InputError by field */
export async function completeProfile(sql: Sql, id: number, given: Given): Promise<void> {
  const [before] = await sql<ProfileRow>(READ, [id]);
  if (!before) throw new NotFoundError();
  await completeMoney(sql, given, before);
  if (given['cardNum'] !== undefined) given['cardNum'] = (given['cardNum'] as string).slice(-4);
  if (given['status'] !== undefined) {
    given['canceledAt'] = isCanceled(given['status'] as RecurringStatus) ? (before.canceled_at ?? new Date()) : null;
  }
  // Both, since together they are unique: a conflict is told by who holds the two.
  given['account'] ??= before.account_id;
  given['recurringId'] ??= before.recurring_id;
}
