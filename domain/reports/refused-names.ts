import { nodes } from './tree.ts';

// What a report may not name. The login it runs under could do no harm with most of these; a clear word beats an error of the server, and a few
// (advisory locks, notifications) need no right at all.

/** Functions that change something, wait, execute text, or look at the server instead of the data. Matched against the last part of a name. */
const REFUSED_FUNCTIONS = [
  // Among them what waits: pg_sleep, pg_sleep_for, pg_sleep_until, locks, notifications.
  /^pg_(?!typeof$|column_size$)/,
  /^(lo_|lowrite$|loread$|dblink)/,
  /^(query|table|schema|database|cursor)_to_xml/,
  /^(ts_stat|ts_rewrite)$/,
  /^(set_config|current_setting|nextval|setval|currval|lastval|setseed)$/,
  /^(txid_|inet_|has_\w+_privilege$|row_security_active$|binary_upgrade_|brin_|gin_|heap_|amvalidate$|xpath_table$|crosstab|connectby)/,
];

/** Relations outside the report tables; how tables and columns are called may be looked up in information_schema. */
export function refusedRelation(schema: string | undefined, name: string): string | null {
  const full = schema ? `${schema}.${name}` : name;
  if (schema === 'information_schema') return /^(tables|columns|views)$/.test(name) ? null : full;
  if (schema !== undefined && schema !== 'report') return full;
  return /^pg_/.test(name) ? full : null;
}

/** @param name as the grammar understood it: folded to lower case, escapes resolved */
export const refusedFunction = (name: string): boolean => REFUSED_FUNCTIONS.some((pattern) => pattern.test(name.toLowerCase()));

/** Lengths and counts asked for in so many digits. */
const LARGEST_COUNT = 1_000_000;
const COUNTED = new Set(['repeat', 'lpad', 'rpad', 'array_fill']);

/** What makes much of little, and is asked for more than LARGEST_COUNT in so many digits; the reason, or null. */
export function refusedSize({ funcname, args }: { funcname?: unknown[]; args?: unknown[] }): string | null {
  const name = (funcname?.at(-1) as { String?: { sval?: string } } | undefined)?.String?.sval ?? '';
  if (!COUNTED.has(name)) return null;
  for (const [key, node] of nodes(args)) {
    const { ival, fval } = node as { ival?: { ival?: number }; fval?: { fval?: string } };
    if (key === 'A_Const' && Math.max(ival?.ival ?? 0, Number(fval?.fval ?? 0)) > LARGEST_COUNT)
      return `${name} may be asked for ${LARGEST_COUNT} at most.`;
  }
  return null;
}
