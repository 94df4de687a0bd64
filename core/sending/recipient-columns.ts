/** What a compiled mailing says it needs of its recipients (mail/contracts.ts). */
interface Needed {
  userColumns: string[];
  needsFields: boolean;
  needsLocation?: boolean;
  mergefile?: number | null;
  targetsOfPage?: number | null;
}

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** A person's custom fields by name, of rows of core_userfield grouped by person and name. */
const VALUES = 'case count(*) when 1 then to_jsonb(min(value)) else jsonb_agg(value order by id) end';

/** The columns of core_user (as `u`), and of what hangs on it, that a compiled mailing asks for, to stand behind others in a select list. */
export function recipientColumns({ userColumns, needsFields, needsLocation, mergefile, targetsOfPage }: Needed): string {
  const columns = userColumns.map((column) => `u.${identifier(column)}`);
  if (needsFields) {
    columns.push(`(select coalesce(jsonb_object_agg(name, values), '{}') from (
      select name, ${VALUES} as values from core_userfield where parent_id = u.id group by name) f) as fields`);
  }
  if (needsLocation) columns.push(`(select to_jsonb(x) from core_location x where x.user_id = u.id) as location`);
  if (mergefile) {
    columns.push(`(select r.values from core_mergefilerow r where r.mergefile_id = ${Number(mergefile)} and r.user_id = u.id) as row`);
  }
  if (targetsOfPage) columns.push(`${targetsColumn(Number(targetsOfPage))} as targets`);
  return columns.map((column) => `, ${column}`).join('');
}

/** The same for many at a time: columns, and the joins they come from, of the people in `page` (as `p`, with `user_id`) and their `u`. */
export function pageColumns({ userColumns, needsFields, needsLocation, mergefile, targetsOfPage }: Needed): {
  columns: string;
  joins: string;
} {
  const columns = userColumns.map((column) => `u.${identifier(column)}`);
  const joins: string[] = [];
  if (needsFields) {
    columns.push(`coalesce(fields.fields, '{}') as fields`);
    joins.push(`left join (
      select parent_id, jsonb_object_agg(name, values) as fields from (
        select parent_id, name, ${VALUES} as values from page join core_userfield on parent_id = page.user_id group by parent_id, name) f
      group by parent_id) fields on fields.parent_id = u.id`);
  }
  if (needsLocation) {
    columns.push('to_jsonb(location) as location');
    joins.push('left join core_location location on location.user_id = u.id');
  }
  if (mergefile) {
    columns.push('filed.values as row');
    joins.push(`left join core_mergefilerow filed on filed.mergefile_id = ${Number(mergefile)} and filed.user_id = u.id`);
  }
  if (targetsOfPage) columns.push(`${targetsColumn(Number(targetsOfPage))} as targets`);
  return { columns: columns.map((column) => `, ${column}`).join(''), joins: joins.join(' ') };
}

/** The targets of a page that stand for user `u`: for their district, else, where a target has no district, for their state. */
const targetsColumn = (page: number) => `(
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'type', t.type, 'title', t.title, 'long_title', t.long_title, 'first', t.first, 'last', t.last,
      'name', concat_ws(' ', nullif(t.title, ''), nullif(t.first, ''), nullif(t.last, '')), 'phone', t.phone, 'fax', t.fax, 'party', t.party,
      'state', t.state, 'us_district', t.us_district, 'seat', t.seat) order by t.us_district = '', t.seat, t.id), '[]')
  from core_target t left join core_location x on x.user_id = u.id
  where not t.hidden
    and exists (select from core_targetgroup_targets m join core_whipcountpage_target_groups p on p.targetgroup_id = m.targetgroup_id
      join core_targetgroup g on g.id = m.targetgroup_id and not g.hidden where m.target_id = t.id and p.page_id = ${page})
    and case when t.us_district <> '' then t.us_district = x.us_district
      else t.state <> '' and upper(t.state) = coalesce(nullif(left(x.us_district, 2), ''), upper(u.state)) end)`;
