/** A timestamp as the API shows it: UTC, to the second, without a zone. */
export function timestampSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}

/** Both times of a row as they are shown, for jsonb_build_object. */
export const stampsSql = (alias: string): string =>
  `'created_at', ${timestampSql(`${alias}.created_at`)}, 'updated_at', ${timestampSql(`${alias}.updated_at`)}`;
