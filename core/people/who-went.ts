import type { Sql } from '../../db/sql.ts';

// What was read of people before one of them was erased or deleted is not to be written down after it: they would stand in it. Whoever takes somebody away counts, and
// holds a lock until that is committed, beside others who do; whoever writes down what was read holds one against theirs, beside others who write, and looks whether
// nobody has been at it since.

/** Somebody is about to be erased or deleted, in the transaction `sql` runs in; before anything is looked for in which they may stand. */
export async function tellGoing(sql: Sql): Promise<void> {
  await sql('lock table core_user_going in row exclusive mode');
  await sql(`select nextval('core_user_gone')`);
}

/** How many have gone, asked before people are read; null while somebody is going. */
export async function goneSoFar(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ gone: string | null }>(
    'select case when core_user_none_going() then (select last_value + is_called::int from core_user_gone) end::text as gone',
  );
  return row!.gone;
}

/** Whether nobody has gone since `gone` was asked. Until the transaction `sql` runs in ends nobody does: it is to be short from here. */
export async function nobodyWentSince(sql: Sql, gone: string | null): Promise<boolean> {
  return gone !== null && (await goneSoFar(sql)) === gone;
}

/** Waits for whoever is going, and has nobody else go until the transaction `sql` runs in ends. */
export async function keepAllHere(sql: Sql): Promise<void> {
  await sql('lock table core_user_going in share mode');
}
