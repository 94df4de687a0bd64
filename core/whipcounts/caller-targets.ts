import type { Sql } from '../../db/sql.ts';
import { WITH_AMERICAN_ZIPS } from '../../domain/people/american-zips.ts';
import { STATE_SEAT } from '../../domain/targeting/state-seat.ts';
import type { GeoKind } from '../../domain/words.ts';
import { centroidOf } from '../geo/zip-centroids.ts';

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
  /** Of the houses of state legislatures, `CA_012`; empty where they are not known. */
  stateHouse: string[];
  stateSenate: string[];
  /** In lower case, where it is another than the United States: a state is of a country. */
  abroad: string | null;
}

/** The place of a person: the districts of their location, else what their zip, else their state tells. */
export async function placeOfUser(sql: Sql, userId: number): Promise<CallerPlace> {
  const [user] = await sql<UserRow>(
    `select l.us_district, l.us_state_district, l.us_state_senate, u.zip, u.state, lower(u.country) as country
     from core_user u left join core_location l on l.user_id = u.id where u.id = $1`,
    [userId],
  );
  if (!user) return NOWHERE;
  const { country, state, us_district: district } = user;
  const abroad = WITH_AMERICAN_ZIPS.includes(country) ? null : country;
  const place = user.zip && abroad === null ? await placeOfZip(sql, user.zip) : NOWHERE;
  const known = (ofLocation: string | null, byZip: string[]) => (ofLocation ? [ofLocation] : byZip);
  const more = {
    stateHouse: known(user.us_state_district, place.stateHouse),
    stateSenate: known(user.us_state_senate, place.stateSenate),
    abroad,
  };
  if (district) return { districts: [district], states: [district.slice(0, 2)], ...more };
  return { ...(place.districts.length === 0 && state ? { districts: [], states: [state] } : place), ...more };
}

interface UserRow {
  us_district: string | null;
  us_state_district: string | null;
  us_state_senate: string | null;
  zip: string;
  state: string;
  country: string;
}

const NOWHERE: CallerPlace = { districts: [], states: [], stateHouse: [], stateSenate: [], abroad: null };

/**
 * The districts a zip touches; of one that is in none that was loaded (those of post boxes are in no file) its state.
 * @param zip five digits, what follows them is ignored; an unknown one is nowhere
 */
export async function placeOfZip(sql: Sql, zip: string): Promise<CallerPlace> {
  const five = zip.trim().slice(0, 5);
  const rows = await sql<{ kind: string; place: string }>('select kind, place from geo_zipplace where zip = $1 order by place', [five]);
  const of = (wanted: GeoKind) => rows.flatMap(({ kind, place }) => (kind === wanted ? [place] : []));
  const districts = of('us_district');
  const known = districts.length > 0 ? null : centroidOf(five);
  const states = known ? [known.state] : [...new Set(districts.map((district) => district.slice(0, 2)))];
  return { districts, states, stateHouse: of('us_state_district'), stateSenate: of('us_state_senate'), abroad: null };
}

/** Members of a state's legislature stand for the district that is their seat, where it is known in which one somebody lives. */
const seatKnown = (type: 'state_house' | 'state_senate', known: string) =>
  `t.type = '${type}' and t.seat ~ '${STATE_SEAT}' and cardinality(${known}::text[]) > 0`;

/**
 * Whom somebody from `place` is to call on a page: of the page's groups, those who represent the place; executives and others without a place stand
 * for everyone. Hidden targets and hidden groups are left out.
 */
export async function callerTargets(sql: Sql, pageId: number, place: CallerPlace): Promise<CallerTarget[]> {
  return sql<CallerTarget>(
    `select t.id, t.type, t.state, t.seat, t.us_district as "usDistrict", concat_ws(' ', nullif(t.title, ''), nullif(t.first, ''), nullif(t.last, '')) as name,
       t.party, t.phone
     from core_target t
     where not t.hidden
       and t.id in (select m.target_id from core_targetgroup_targets m
                    join core_whipcountpage_target_groups p on p.targetgroup_id = m.targetgroup_id
                    join core_targetgroup g on g.id = m.targetgroup_id and not g.hidden
                    where p.page_id = $1)
       and case when t.us_district <> '' then t.us_district = any($2::text[])
         when ${seatKnown('state_house', '$4')} then t.seat = any($4)
         when ${seatKnown('state_senate', '$5')} then t.seat = any($5)
         when t.state <> '' then t.state = any($3::text[]) and ($6::text is null or lower(t.country) = $6) else true end
     order by t.us_district = '', t.seat, t.id
     limit 200`,
    [pageId, place.districts, place.states, place.stateHouse, place.stateSenate, place.abroad],
  );
}
