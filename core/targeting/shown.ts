import type { Pool } from '../../db/driver.ts';
import type { Sql } from '../../db/sql.ts';
import type { Side } from '../../domain/targeting/compile.ts';
import type { ShownTargeting } from '../../domain/targeting/explain.ts';
import type { TargetingField } from '../../domain/targeting/fields.ts';

// Targeting is stored as ids, since names change, and shown by name, as the specification wants it.

/** Fields shown by name, and the table the names are in. */
const NAMED: { [Field in TargetingField]?: string } = {
  lists: 'core_list',
  tags: 'core_tag',
  languages: 'core_language',
  actions: 'core_page',
  campaigns: 'events_campaign',
};

/** A name `n` that whoever reads references takes for something else: the id of another row, or an address. */
const misreadSql = (table: string) => `case when n.name ~ '^0*[0-9]{1,10}$' then exists (
  select from ${table} other where other.id = n.name::bigint and other.id <> n.id) else n.name ~ '/rest/' end`;

/**
 * What is gone meanwhile is shown by its id; it matches nobody.
 * @param readAgain it may be sent back as it is shown: a name that would be read as something else is shown by its id, too, lest others be meant by then
 */
const namesSql = (table: string, readAgain: boolean) => `(
  select jsonb_agg(coalesce((select to_jsonb(n.name) from ${table} n where n.id = member::int ${readAgain ? `and not ${misreadSql(table)}` : ''}), member) order by place)
  from jsonb_array_elements(field.value) with ordinality as x(member, place))`;

const urisSql = (name: string) => `(
  select jsonb_agg('/rest/v1/${name}/' || (member #>> '{}') || '/' order by place)
  from jsonb_array_elements(field.value) with ordinality as x(member, place))`;

/**
 * SQL of one side of the targeting of a mailing `t`, as an object with the fields that say something. Put together as json: jsonb_object_agg goes through a list in it
 * by the square of its members, half a minute for 100,000 zips.
 * @param readAgain false for words about it
 */
export function targetingSql(side: Side, readAgain = true): string {
  const named = Object.entries(NAMED).map(([field, table]) => `when '${field}' then ${namesSql(table, readAgain)}`);
  return `(
    select coalesce(json_object_agg(field.key, case field.key ${named.join(' ')} when 'users' then ${urisSql('user')} when 'target_groups' then ${urisSql('targetgroup')} else field.value end), '{}')
    from jsonb_each(t.${side}) as field)`;
}

/** Both sides in names, of a targeting that is not stored. */
export async function shownSides(sql: Sql, { includes, excludes }: Record<Side, object>): Promise<Record<Side, ShownTargeting>> {
  const [sides] = await sql<Record<Side, ShownTargeting>>(
    `select ${targetingSql('includes', false)} as includes, ${targetingSql('excludes', false)} as excludes
     from (select $1::jsonb as includes, $2::jsonb as excludes) t`,
    [JSON.stringify(includes), JSON.stringify(excludes)],
  );
  return sides!;
}

/** One side of the targeting of a mailing as shown; null when there is no such mailing. */
export async function readShown(pool: Pool, mailingId: number, side: Side): Promise<ShownTargeting | null> {
  const { rows } = await pool.query<{ targeting: ShownTargeting }>(
    `select ${targetingSql(side)} as targeting from core_mailing t where t.id = $1`,
    [mailingId],
  );
  return rows[0]?.targeting ?? null;
}
