import { timestampSql } from '../../db/timestamp-sql.ts';

// Objects shown inside others, as SQL giving one jsonb each. Columns are named as on the wire; what differs is replaced.

const stamps = (alias: string) =>
  `'created_at', ${timestampSql(`${alias}.created_at`)}, 'updated_at', ${timestampSql(`${alias}.updated_at`)}`;

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
  return `to_jsonb(${alias}) - 'bioguide' || jsonb_build_object(${names.join(', ')}, ${stamps(alias)},
    'resource_uri', '/rest/v1/target/' || ${alias}.id || '/')`;
}

export function targetGroupJson(alias: string): string {
  return `to_jsonb(${alias}) || jsonb_build_object(${stamps(alias)}, 'resource_uri', '/rest/v1/targetgroup/' || ${alias}.id || '/',
    'all', '/rest/v1/targetgroup/' || ${alias}.id || '/all/')`;
}

export function whipcountFormJson(alias: string): string {
  return `to_jsonb(${alias}) - 'page_id' || jsonb_build_object(${stamps(alias)}, 'page', '/rest/v1/whipcountpage/' || ${alias}.page_id || '/',
    'minimum_response_agreement', ${alias}.minimum_response_agreement::text, 'resource_uri', '/rest/v1/whipcountform/' || ${alias}.id || '/')`;
}

const uri = (resource: string, column: string) => `'/rest/v1/${resource}/' || ${column} || '/'`;

export function followupJson(alias: string): string {
  return `to_jsonb(${alias}) - 'page_id' - 'email_from_line_id' - 'email_wrapper_id' || jsonb_build_object(${stamps(alias)},
    'page', ${uri('page', `${alias}.page_id`)}, 'email_from_line', ${uri('fromline', `${alias}.email_from_line_id`)},
    'email_wrapper', ${uri('emailwrapper', `${alias}.email_wrapper_id`)}, 'resource_uri', ${uri('pagefollowup', `${alias}.id`)})`;
}
