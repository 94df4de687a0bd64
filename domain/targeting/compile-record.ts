import { identifier, joinSql, type Sql, sql } from '../sql.ts';
import { LEDGER_STATE } from '../words.ts';
import { isAmong } from './compile-many.ts';

// Who was sent which mailing, asked of the record of sends.

const { pending, sending, accepted, uncertain } = LEDGER_STATE;
/** Included are those a mailing was sent to; excluded, to be on the safe side, also those still waiting in its saved set. */
export const MAILED_BY: Record<'includes' | 'excludes', number[]> = {
  includes: [sending, accepted, uncertain],
  excludes: [pending, sending, accepted, uncertain],
};

/** A row of these, to be looked for person by person: through a limit the planner sees no join with all there are. */
export const oneOf = (rows: Sql): Sql => sql`(select 1 from ${rows} limit 1) one`;

/**
 * Rows that say the user `u` stands in one of these mailings in one of these states. Where few are asked about, the record is asked for each of them, and what is
 * open still is read once.
 */
export function ofMailings(mailings: Sql, states: Sql, few: boolean | undefined): Sql {
  if (!few) return sql`send_record x where x.user_id = u.id and x.mailing_id = ${mailings} and x.state = ${states}`;
  const recorded = (table: string) => sql`${identifier(table)} x where x.user_id = u.id and x.mailing_id = ${mailings}`;
  return sql`(select 1) one where ${LEDGER_STATE.accepted}::int = ${states} and exists (select from ${oneOf(recorded('send_accepted'))})
    or exists (select from ${oneOf(sql`${recorded('send_exception')} and x.state = ${states}`)})
    or u.id in (select o.user_id from send_open o where o.mailing_id = ${mailings} and o.state = ${states})`;
}

/** The same to be merged: each person once. Whom mails reached is known as 64 people a number. */
export function mergedMailings(mailings: Sql, states: Sql): { rows: Sql; none: Sql } {
  const standing = (table: string) => sql`select user_id from ${identifier(table)} where mailing_id = ${mailings} and state = ${states}`;
  const accepted = sql`select user_id from send_accepted where mailing_id = ${mailings} and ${LEDGER_STATE.accepted}::int = ${states}`;
  const [exceptions, open] = [standing('send_exception'), standing('send_open')];
  const noneOf = (source: Sql) => sql`not exists (select from (${source}) x where x.user_id = u.id)`;
  const reached = sql`select word, bit_or(member) as members from send_reached, unnest(words, members) as e (word, member)
    where mailing_id = ${mailings} group by word`;
  return {
    rows: sql`(${joinSql([accepted, exceptions, open], ' union ')}) x where x.user_id = u.id`,
    none: joinSql(
      [sql`not (${LEDGER_STATE.accepted}::int = ${states} and ${isAmong(reached)})`, noneOf(exceptions), noneOf(open)],
      ' and ',
    ),
  };
}
