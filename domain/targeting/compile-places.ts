import { joinSql, type Sql, sql } from '../sql.ts';
import { EVENT_MILES, type Targeting } from './fields.ts';

const EARTH_MILES = 3958.8;

/** Great-circle miles between the points of the aliases `p` and `e`. */
const MILES = sql`(${EARTH_MILES * 2}::float8 * asin(sqrt(least(1, power(sin(radians(e.latitude - p.latitude) / 2), 2)
  + cos(radians(p.latitude)) * cos(radians(e.latitude)) * power(sin(radians(e.longitude - p.longitude) / 2), 2)))))`;

/**
 * The location of user `u`, when an active event of one of the campaigns that is not over is near enough. Distances are taken from each place people
 * live in, once, and not from each of them: zips have many people. An event or a person without a place is near nothing.
 */
export function campaignRows(campaigns: readonly number[], targeting: Targeting): Sql {
  const miles = targeting.campaign_radius ?? EVENT_MILES;
  const sameState = sql`e.state <> '' and upper(e.state) = upper(p.region_code)`;
  const near = [
    sql`e.campaign_id = any(${campaigns}::int[])`,
    sql`e.status = 'active'`,
    sql`(coalesce(e.ends_at, e.starts_at) is null or coalesce(e.ends_at, e.starts_at) >= now())`,
    // Cheap, before the sines: a degree of latitude is 69 miles, a little less at the equator.
    sql`e.latitude between p.latitude - ${miles / 68}::float8 and p.latitude + ${miles / 68}::float8`,
    sql`${MILES} <= ${miles}::float8`,
    ...(targeting.campaign_samestate_only ? [sameState] : []),
    // Many states have a county of the same name.
    ...(targeting.campaign_same_county_only ? [sameState, sql`e.us_county <> '' and lower(e.us_county) = lower(p.us_county)`] : []),
    ...(targeting.campaign_same_district_only ? [sql`e.us_district <> '' and e.us_district = p.us_district`] : []),
  ];
  return sql`core_location x where x.user_id = u.id and (x.latitude, x.longitude, x.region_code, x.us_county, x.us_district) in (
    select p.latitude, p.longitude, p.region_code, p.us_county, p.us_district
    from (select distinct latitude, longitude, region_code, us_county, us_district from core_location where latitude is not null) p
    where exists (select from events_event e where ${joinSql(near, ' and ')}))`;
}

/**
 * User `u`, when one of the groups' targets stands for where they live: for their district where the target has one, else for their state. A target with
 * neither stands for nobody here: one with its place forgotten must not bring everyone in.
 * @param groups what a group's id has to equal: `any(…)`
 */
export function targetGroupRows(groups: Sql): Sql {
  const targets = sql`from core_target t join core_targetgroup_targets m on m.target_id = t.id
    join core_targetgroup g on g.id = m.targetgroup_id where g.id = ${groups} and not g.hidden and not t.hidden`;
  const stateSeat = (type: string) => sql`t.us_district = '' and t.type = ${type} and t.seat ~ '^[A-Z]{2}_\\d{3}$'`;
  return sql`core_user v left join core_location x on x.user_id = v.id where v.id = u.id and (
    x.us_district in (select t.us_district ${targets} and t.us_district <> '')
    or x.us_state_district in (select t.seat ${targets} and ${stateSeat('state_house')})
    or x.us_state_senate in (select t.seat ${targets} and ${stateSeat('state_senate')})
    or (lower(v.country), coalesce(nullif(left(x.us_district, 2), ''), upper(v.state))) in (
      select unnest(array['', lower(t.country)]), upper(t.state) ${targets} and t.us_district = '' and t.state <> ''
        and not (t.type in ('state_house', 'state_senate') and t.seat ~ '^[A-Z]{2}_\\d{3}$')))`;
}
