import { stampsSql } from '../../db/timestamp-sql.ts';

// Objects that stand inside others, as SQL giving one jsonb each. Columns are named as on the wire; what differs is replaced.

/** Names and pronouns of a target, over an alias: wire name → SQL. */
export function targetNames(alias: string): Record<string, string> {
  const byGender = (he: string, she: string, they: string) =>
    `case ${alias}.gender when 'M' then '${he}' when 'F' then '${she}' else '${they}' end`;
  return {
    full_name: `concat_ws(' ', nullif(${alias}.first, ''), nullif(${alias}.last, ''))`,
    title_full: `concat_ws(' ', nullif(${alias}.title, ''), nullif(${alias}.first, ''), nullif(${alias}.last, ''))`,
    title_last: `concat_ws(' ', nullif(${alias}.title, ''), nullif(${alias}.last, ''))`,
    they: byGender('he', 'she', 'they'),
    them: byGender('him', 'her', 'them'),
    their: byGender('his', 'her', 'their'),
    theirs: byGender('his', 'hers', 'theirs'),
  };
}

/** A target, whole. */
export function targetJson(alias: string): string {
  const names = Object.entries(targetNames(alias)).map(([name, sql]) => `'${name}', ${sql}`);
  return `to_jsonb(${alias}) - 'bioguide' || jsonb_build_object(${names.join(', ')}, ${stampsSql(alias)},
    'resource_uri', '/rest/v1/target/' || ${alias}.id || '/')`;
}

function targetGroupJson(alias: string): string {
  return `to_jsonb(${alias}) || jsonb_build_object(${stampsSql(alias)}, 'resource_uri', '/rest/v1/targetgroup/' || ${alias}.id || '/',
    'all', '/rest/v1/targetgroup/' || ${alias}.id || '/all/')`;
}

function whipcountFormJson(alias: string): string {
  return `to_jsonb(${alias}) - 'page_id' || jsonb_build_object(${stampsSql(alias)}, 'page', '/rest/v1/whipcountpage/' || ${alias}.page_id || '/',
    'minimum_response_agreement', ${alias}.minimum_response_agreement::text, 'resource_uri', '/rest/v1/whipcountform/' || ${alias}.id || '/')`;
}

/** The groups of the whip-count page with this id, as a list. @param page SQL of the id */
export const targetGroupsSql = (page: string): string =>
  `coalesce((select jsonb_agg(${targetGroupJson('g')} order by g.id) from core_whipcountpage_target_groups m
    join core_targetgroup g on g.id = m.targetgroup_id where m.page_id = ${page}), '[]')`;

/** The form of the whip-count page with this id; null where there is none. @param page SQL of the id */
export const whipcountFormSql = (page: string): string =>
  `(select ${whipcountFormJson('f')} from core_whipcountform f where f.page_id = ${page})`;
