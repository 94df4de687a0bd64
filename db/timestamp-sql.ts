/** A timestamp as the API shows it: UTC, to the second, without a zone. */
export function timestampSql(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`;
}
