import { identifier, joinSql, type Sql, sql } from '../sql.ts';
import { EVENT_MILES, type Targeting } from './fields.ts';
import { STATE_SEAT } from './state-seat.ts';

const EARTH_MILES = 3958.8;
/** Cells are no smaller than this (four miles), so that their numbers fit. */
const SMALLEST_CELL = 0.001;

/** Columns x, y and z of a place on the unit sphere: distances are chords then, and nothing is special at the poles or the date line. */
const ON_SPHERE = sql`cos(radians(latitude)) * cos(radians(longitude)) as x, cos(radians(latitude)) * sin(radians(longitude)) as y,
  sin(radians(latitude)) as z`;

/**
 * A SELECT of the ids of users near enough to an active event of one of the campaigns that is not over. Distances are taken from each place people
 * live in, once, and not from each of them: zips have many people. Events are looked for in a place's cell and those around it, which are as wide as the
 * radius: all events near enough are there. An event or a person without a place is near nothing.
 */
export function nearCampaigns(campaigns: readonly number[], targeting: Targeting): Sql {
  const { campaign_samestate_only: inState, campaign_same_county_only: inCounty, campaign_same_district_only: inDistrict } = targeting;
  const reach = 2 * Math.sin((targeting.campaign_radius ?? EVENT_MILES) / (2 * EARTH_MILES));
  const width = sql`${Math.max(reach, SMALLEST_CELL)}::float8`;
  const cell = (axis: Sql) => sql`floor(${axis} / ${width})::int`;
  const near = [
    ...['x', 'y', 'z'].map((axis) => sql`e.${identifier(`cell_${axis}`)} = ${cell(sql`p.${identifier(axis)}`)}`),
    sql`(p.x - e.x) ^ 2 + (p.y - e.y) ^ 2 + (p.z - e.z) ^ 2 <= ${reach ** 2}::float8`,
    ...(inState || inCounty ? [sql`e.state <> '' and upper(e.state) = upper(p.region_code)`] : []),
    // Many states have a county of the same name.
    ...(inCounty ? [sql`e.us_county <> '' and lower(e.us_county) = lower(p.us_county)`] : []),
    ...(inDistrict ? [sql`e.us_district <> '' and e.us_district = p.us_district`] : []),
  ];
  const told = ['latitude', 'longitude', ...(inState || inCounty ? ['region_code'] : []), ...(inCounty ? ['us_county'] : [])];
  const columns = joinSql([...told, ...(inDistrict ? ['us_district'] : [])].map(identifier), ', ');
  return sql`select l.user_id from core_location l where (${columns}) in (
    with place as materialized (
      select *, ${ON_SPHERE} from (select distinct ${columns} from core_location where latitude is not null and longitude is not null) places),
    event as materialized (
      select *, ${cell(sql`x`)} + dx as cell_x, ${cell(sql`y`)} + dy as cell_y, ${cell(sql`z`)} + dz as cell_z
      from (select state, us_county, us_district, ${ON_SPHERE} from events_event where campaign_id = any(${campaigns}::int[]) and status = 'active'
          and (coalesce(ends_at, starts_at) is null or coalesce(ends_at, starts_at) >= now()) and latitude is not null and longitude is not null) events,
        generate_series(-1, 1) dx, generate_series(-1, 1) dy, generate_series(-1, 1) dz)
    select ${columns} from place p where exists (select from event e where ${joinSql(near, ' and ')}))`;
}

/**
 * User `u`, when one of the groups' targets stands for where they live: for their district where the target has one, else for their state. A target with
 * neither stands for nobody here: one with its place forgotten must not bring everyone in.
 * @param groups what a group's id has to equal: `any(…)`
 */
export function targetGroupRows(groups: Sql): Sql {
  const targets = sql`from core_target t join core_targetgroup_targets m on m.target_id = t.id
    join core_targetgroup g on g.id = m.targetgroup_id where g.id = ${groups} and not g.hidden and not t.hidden`;
  const stateSeat = (type: string) => sql`t.us_district = '' and t.type = ${type} and t.seat ~ ${STATE_SEAT}`;
  return sql`core_user v left join core_location x on x.user_id = v.id where v.id = u.id and (
    x.us_district in (select t.us_district ${targets} and t.us_district <> '')
    or x.us_state_district in (select t.seat ${targets} and ${stateSeat('state_house')})
    or x.us_state_senate in (select t.seat ${targets} and ${stateSeat('state_senate')})
    or (lower(v.country), coalesce(nullif(left(x.us_district, 2), ''), upper(v.state))) in (
      select unnest(array['', lower(t.country)]), upper(t.state) ${targets} and t.us_district = '' and t.state <> ''
        and not (t.type in ('state_house', 'state_senate') and t.seat ~ ${STATE_SEAT})))`;
}
