import { STATE_SEAT } from '../../domain/targeting/state-seat.ts';
import { targetNames } from '../whipcounts/shown.ts';

/** What a compiled mailing says it needs of its recipients (mail/contracts.ts). */
interface Needed {
  userColumns: string[];
  needsFields: boolean | readonly string[];
  needsLocation?: boolean;
  mergefile?: number | null;
  targetsOfPage?: number | null;
}

/**
 * Bytes of custom fields and of the merge file's row that are read of one person for a mail, and of the people of a page together. What stands in the tables
 * comes from strangers, too, and a page is held in memory.
 */
const MOST_OF_ONE = 250_000;
const MOST_OF_A_PAGE = 8_000_000;
/** What a value takes beside its text. */
const BESIDE = 64;

export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A person's custom fields by name, of rows of core_userfield grouped by person and name. */
const VALUES = 'case count(*) when 1 then to_jsonb(min(value)) else jsonb_agg(value order by id) end';

/** Which custom fields are read: all, or those the templates name. */
const among = (needsFields: Needed['needsFields']) =>
  Array.isArray(needsFields) ? `and name = any(array[${needsFields.map(literal).join(', ')}]::text[])` : '';

// Both are looked up for each person: joined, a merge file of millions would be gone through for every page.
const LOCATION = '(select to_jsonb(x) from core_location x where x.user_id = u.id) as location';
const rowOf = (mergefile: number, user: string) =>
  `(select r.values from core_mergefilerow r where r.mergefile_id = ${Number(mergefile)} and r.user_id = ${user})`;

/** The columns of core_user (as `u`), and of what hangs on it, that a compiled mailing asks for, to stand behind others in a select list. */
export function recipientColumns({ userColumns, needsFields, needsLocation, mergefile, targetsOfPage }: Needed): string {
  const columns = userColumns.map((column) => `u.${identifier(column)}`);
  if (needsFields) {
    columns.push(`(select coalesce(jsonb_object_agg(name, values), '{}') from (
      select name, ${VALUES} as values from core_userfield where parent_id = u.id ${among(needsFields)} group by name) f) as fields`);
  }
  if (needsLocation) columns.push(LOCATION);
  if (mergefile) columns.push(`${rowOf(mergefile, 'u.id')} as row`);
  if (targetsOfPage) columns.push(`${targetsColumn(Number(targetsOfPage))} as targets`);
  return columns.map((column) => `, ${column}`).join('');
}

/**
 * The same for many at a time: columns, and the joins they come from, of the people in `page` (as `p`, with `user_id`) and their `u`. The page is `people`,
 * each with what is to be read of them: `size` in bytes; `too_much` for one mail, then nothing is; `later`, since those before fill a page.
 */
export function pageColumns({ userColumns, needsFields, needsLocation, mergefile, targetsOfPage }: Needed): {
  page: string;
  columns: string;
  joins: string;
} {
  const columns = userColumns.map((column) => `u.${identifier(column)}`);
  const joins: string[] = [];
  const sizes: { size: string; join: string }[] = [];
  if (needsFields) {
    const fields = `from core_userfield where parent_id = p.user_id ${among(needsFields)}`;
    columns.push('fields.fields');
    joins.push(`left join lateral (
      select coalesce(jsonb_object_agg(name, values), '{}') as fields from (
        select name, ${VALUES} as values ${fields} and not (p.too_much or p.later) group by name) f) fields on true`);
    // Lengths in bytes are told without reading what is long.
    sizes.push({
      size: 'coalesce(f.bytes, 0)',
      join: `left join lateral (select sum(octet_length(name) + octet_length(value) + ${BESIDE}) as bytes ${fields}) f on true`,
    });
  }
  if (needsLocation) columns.push(LOCATION);
  if (mergefile) {
    const values = rowOf(mergefile, 'p.user_id');
    columns.push(`case when not (p.too_much or p.later) then ${values} end as row`);
    sizes.push({
      size: 'coalesce(filed.bytes, 0)',
      join: `left join lateral (select octet_length(${values}::text) as bytes offset 0) filed on true`,
    });
  }
  if (targetsOfPage) columns.push(`${targetsColumn(Number(targetsOfPage))} as targets`);
  // What has no end of its own is measured; most mails show none of it.
  if (!sizes.length) {
    const page = 'select position, user_id, 0 as size, false as too_much, false as later from people';
    return { page, columns: columns.map((column) => `, ${column}`).join(''), joins: joins.join(' ') };
  }
  const size = sizes.map((each) => each.size).join(' + ');
  const page = `
    select position, user_id, size, size > ${MOST_OF_ONE} as too_much,
      coalesce(sum(size) filter (where size <= ${MOST_OF_ONE}) over (order by position rows between unbounded preceding and 1 preceding), 0)
        >= ${MOST_OF_A_PAGE} as later
    from (select p.position, p.user_id, ${size} as size from people p ${sizes.map(({ join }) => join).join(' ')}) sized`;
  return { page, columns: columns.map((column) => `, ${column}`).join(''), joins: joins.join(' ') };
}

const NAMES_DISTRICT = `t.seat ~ '${STATE_SEAT}'`;

const TARGET_COLUMNS = 'id type country state seat us_district first last gender party title long_title phone fax email'.split(' ');

/** What templates may show of a target (as `t`): all that its resource shows of the person, and `name`. */
const TARGET_FIELDS = [
  ...TARGET_COLUMNS.map((column) => [column, `t.${column}`]),
  ...Object.entries({ ...targetNames('t'), name: targetNames('t').title_full }),
]
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ');

/**
 * The targets of a page that stand for user `u`, as targeting has it (targetGroupRows): for their district, of Congress or of their state's legislature, else, where a target has
 * none, for their state.
 */
const targetsColumn = (page: number) => `(
  select coalesce(jsonb_agg(jsonb_build_object(${TARGET_FIELDS}) order by t.us_district = '', t.seat, t.id), '[]')
  from core_target t left join core_location x on x.user_id = u.id
  where not t.hidden
    and exists (select from core_targetgroup_targets m join core_whipcountpage_target_groups p on p.targetgroup_id = m.targetgroup_id
      join core_targetgroup g on g.id = m.targetgroup_id and not g.hidden where m.target_id = t.id and p.page_id = ${page})
    and case when t.us_district <> '' then t.us_district = x.us_district
      when t.type = 'state_house' and ${NAMES_DISTRICT} then t.seat = x.us_state_district
      when t.type = 'state_senate' and ${NAMES_DISTRICT} then t.seat = x.us_state_senate
      else t.state <> '' and upper(t.state) = coalesce(nullif(left(x.us_district, 2), ''), upper(u.state)) and lower(u.country) in ('', lower(t.country)) end)`;
