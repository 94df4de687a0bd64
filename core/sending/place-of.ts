/**
 * SQL: somebody's position in a mailing; null where they are not in it. For statements that ask of many people: by a join with `send_record` each of them would have
 * everybody read who stands in an open set of any mailing, for no condition of a join reaches into the parts of that view.
 */
export const placeOf = (mailing: string, user: string): string => `coalesce(
  (select position from send_accepted where user_id = ${user} and mailing_id = ${mailing}),
  (select position from send_exception where user_id = ${user} and mailing_id = ${mailing}),
  (select b.first + array_position(b.user_ids, ${user}) - 1 from send_set b
    where b.mailing_id = ${mailing} and ${user} between b.least_user and b.most_user and ${user} = any(b.user_ids) limit 1))`;
