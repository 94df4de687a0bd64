/**
 * SQL: a row as others know it who keep that name (receivers of webhooks, mailboxes, by the Message-ID), the same each time. Not by its number alone: a failover that has
 * lost commits gives that to another row, and they would take the one for the other.
 * @param row alias of its table
 */
export const rowName = (row: string): string => `concat(${row}.id, '-', to_hex((1000 * extract(epoch from ${row}.created_at))::bigint))`;
