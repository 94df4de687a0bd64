import { SENT_BEFORE } from './many-people.ts';

/** An audience as the product is asked for it, and as somebody who knows the tables would write it. */
export interface BenchAudience {
  name: string;
  /** Body of the mailing, beside subjects. */
  targeting: Record<string, unknown>;
  /** FROM and WHERE that give a user once each as `u`; what is true of every audience (subscribed, not blackholed) is added. */
  byHand: string;
  /** Order of positions, when it is not that of ids. `$1` is the mailing. */
  order?: string;
  limit?: number;
}

const on = (...lists: number[]) =>
  `exists (select from core_subscription s where s.user_id = u.id${lists.length ? ` and s.list_id in (${lists})` : ''})`;
const acted = (pages: number[]) => `select user_id from core_action where status = 'complete' and page_id in (${pages})`;
const miles = (one: string, other: string) => `7917.6 * asin(sqrt(least(1, power(sin(radians(${one}.latitude - ${other}.latitude) / 2), 2)
  + cos(radians(${one}.latitude)) * cos(radians(${other}.latitude)) * power(sin(radians(${one}.longitude - ${other}.longitude) / 2), 2))))`;

/** Points of the unit sphere: no sines for each pair. */
const SPHERE = `cos(radians(latitude)) * cos(radians(longitude)) as x, cos(radians(latitude)) * sin(radians(longitude)) as y, sin(radians(latitude)) as z`;

const MANY_PAGES = Array.from({ length: 20 }, (_, n) => n + 2);
const GIVERS = 'select user_id from core_order where total > {amount}';

/** From trivial to nasty. */
export const AUDIENCES: BenchAudience[] = [
  { name: 'everyone on a list', targeting: { includes: { lists: [1] } }, byHand: `core_user u where ${on(1)}` },
  {
    name: 'states and language',
    targeting: { includes: { states: ['CA', 'NY', 'TX', 'FL'], languages: ['English'] } },
    byHand: `core_user u where ${on()} and upper(u.state) in ('CA', 'NY', 'TX', 'FL') and u.lang_id = (select id from core_language where name = 'English')`,
  },
  {
    name: 'zip radius',
    targeting: { includes: { zips: ['10001', '606*', 'Los Angeles, CA', '77001-77020'], zip_radius: 60 } },
    byHand: `core_user u where ${on()} and left(u.zip, 5) in (
      with around as materialized (select * from bench_place where zip = '10001' or zip like '606%' or zip between '77001' and '77020'
        or zip in (select zip from bench_city))
      select p.zip from bench_place p where exists (select from around a
        where a.latitude between p.latitude - 0.9 and p.latitude + 0.9 and ${miles('p', 'a')} <= 60))`,
  },
  {
    name: 'campaign radius, wide',
    targeting: { includes: { campaigns: ['Canvass'], campaign_radius: 300 } },
    byHand: `core_user u where ${on()} and left(u.zip, 5) in (
      with event as materialized (select ${SPHERE} from events_event where status = 'active' and starts_at > now()),
        place as materialized (select zip, ${SPHERE} from bench_place)
      select zip from place p where exists (select from event e
        where e.z between p.z - 0.076 and p.z + 0.076 and (p.x - e.x) ^ 2 + (p.y - e.y) ^ 2 + (p.z - e.z) ^ 2 <= power(2 * sin(300 / 7917.6), 2)))`,
  },
  {
    name: 'actions, donors, excludes',
    targeting: {
      includes: { actions: MANY_PAGES.map((page) => `page-${page}`), has_donated: true },
      excludes: { states: ['AK', 'HI'], actions: ['page-1'], lists: [5] },
    },
    byHand: `core_user u where ${on()} and u.id in (${acted(MANY_PAGES)}) and u.id in (select user_id from core_order where status = 'completed')
      and upper(u.state) not in ('AK', 'HI') and not exists (${acted([1])} and user_id = u.id) and not ${on(5)}`,
  },
  {
    name: 'raw_sql',
    targeting: { includes: { raw_sql: ['select user_id from core_action group by user_id having count(*) > 1'] } },
    byHand: `core_user u where ${on()} and u.id in (select user_id from core_action group by user_id having count(*) > 1)`,
  },
  {
    name: 'query_reports',
    targeting: {
      includes: { query_reports: [{ short_name: 'givers', params: { amount: 20 } }] },
      excludes: { query_reports: [{ short_name: 'givers', params: { amount: 190 } }] },
    },
    byHand: `core_user u where ${on()} and u.id in (${GIVERS.replace('{amount}', '20')})
      and not exists (${GIVERS.replace('{amount}', '190')} and user_id = u.id)`,
  },
  {
    name: 'monthly donors, regions, lists, mailings excluded',
    targeting: {
      includes: {
        was_monthly_donor: ['active', 'expires_this_month', 'canceled_last_7_days'],
        regions: ['CA', 'TX', 'Ontario'],
        lists: [1, 2, 3],
      },
      excludes: { mailings: SENT_BEFORE.slice(0, 1) },
      sort_by: 'random',
      limit: 5000,
    },
    byHand: `core_user u where ${on(1, 2, 3)} and lower(u.region) in ('ca', 'tx', 'ontario') and u.id in (
      select user_id from core_orderrecurring where period = 'months' and (status = 'active'
        or canceled_at is null and exp_date = to_char(now() at time zone 'UTC', 'MMYY') or canceled_at >= now() - interval '7 days'))
      and not exists (select from send_accepted l where l.user_id = u.id and l.mailing_id = ${SENT_BEFORE[0]})`,
    order: `md5($1::text || ':' || u.id)::uuid, u.id`,
    limit: 5000,
  },
];

export const REPORT = { name: 'Givers', short_name: 'givers', sql: GIVERS };
