/**
 * SQL: the rows of `send_record` (as `row`) that are of a user. By their bounds the blocks of sets are found in which the user may stand; without them every open set
 * would be read. Of a set that is shuffled or in the order of zips that is each block: by whom they have among them those are left out before they are taken apart.
 * @param user a value, not a column: no condition of a join reaches into the view (place-of.ts)
 */
export const ofUser = (row: string, user: string): string =>
  `${row}.user_id = ${user} and ${user} between ${row}.least_user and ${row}.most_user and (${row}.among is null or ${user} = any(${row}.among))`;
