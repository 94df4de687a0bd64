/**
 * SQL, to stand before a select: `in_order (position, user_id)`, some of mailing $1 in the order of its set, from a position on: more than a hundred while there are so
 * many. A few blocks of the set and a few pages of the record are read, however large the mailing.
 */
export const inOrder = (from: string): string => `
  with blocks as (select first, user_ids from send_set where mailing_id = $1 and first > ${from}::int - 1000 order by first limit 3),
  in_order as (
    select b.first + n::int - 1 as position, user_id from blocks b, unnest(b.user_ids) with ordinality u (user_id, n)
    where user_id > 0 and b.first + n::int - 1 >= ${from}::int
    union all
    (select position, user_id from send_exception where mailing_id = $1 and position >= ${from}::int and user_id > 0 order by position limit 1000)
    union all
    select position, user_id from send_accepted where mailing_id = $1 and position between ${from}::int and ${from}::int + 1000)`;
