import type { Sql } from '../../db/sql.ts';

export interface CallerTarget {
  id: number;
  type: string;
  state: string;
  seat: string;
  usDistrict: string;
  name: string;
  party: string;
  phone: string;
}

/** Where a caller lives, as precisely as is known. */
export interface CallerPlace {
  /** `CA_12`. Several where a zip touches several. */
  districts: string[];
  /** Two letters each. */
  states: string[];
}

/** The place of a person: the district of their location, else what their zip, else their state tells. */
export async function placeOfUser(sql: Sql, userId: number): Promise<CallerPlace> {
  const [user] = await sql<{ us_district: string | null; zip: string; state: string }>(
    `select l.us_district, u.zip, u.state from core_user u left join core_location l on l.user_id = u.id where u.id = $1`,
    [userId],
  );
  if (user?.us_district) return { districts: [user.us_district], states: [user.us_district.slice(0, 2)] };
  const place = user?.zip ? await placeOfZip(sql, user.zip) : { districts: [], states: [] };
  return place.states.length > 0 || !user?.state ? place : { districts: [], states: [user.state] };
}

/** @param zip five digits, what follows them is ignored; an unknown one is nowhere */
export async function placeOfZip(sql: Sql, zip: string): Promise<CallerPlace> {
  const rows = await sql<{ place: string }>(`select place from geo_zipplace where zip = $1 and kind = 'us_district' order by place`, [
    zip.trim().slice(0, 5),
  ]);
  const districts = rows.map(({ place }) => place);
  return { districts, states: [...new Set(districts.map((district) => district.slice(0, 2)))] };
}

/**
 * Whom somebody from `place` is to call on a page: of the page's groups, those who represent the place; executives and others without a place stand
 * for everyone. Hidden targets and hidden groups are left out.
 */
export async function callerTargets(sql: Sql, pageId: number, { districts, states }: CallerPlace): Promise<CallerTarget[]> {
  return sql<CallerTarget>(
    `select t.id, t.type, t.state, t.seat, t.us_district as "usDistrict", concat_ws(' ', nullif(t.title, ''), nullif(t.first, ''), nullif(t.last, '')) as name,
       t.party, t.phone
     from core_target t
     where not t.hidden
       and t.id in (select m.target_id from core_targetgroup_targets m
                    join core_whipcountpage_target_groups p on p.targetgroup_id = m.targetgroup_id
                    join core_targetgroup g on g.id = m.targetgroup_id and not g.hidden
                    where p.page_id = $1)
       and case when t.us_district <> '' then t.us_district = any($2::text[]) when t.state <> '' then t.state = any($3::text[]) else true end
     order by t.us_district = '', t.seat, t.id
     limit 200`,
    [pageId, districts, states],
  );
}
