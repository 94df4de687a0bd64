/**
 * SQL: the rows of `send_record` (as `row`) that are of a user. By their bounds the blocks of sets are found in which the user may stand; without them every open set
 * would be read.
 */
export const ofUser = (row: string, user: string): string =>
  `${row}.user_id = ${user} and ${user} between ${row}.least_user and ${row}.most_user`;
