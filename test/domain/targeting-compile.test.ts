import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { compileAudience, MEMBER_SOURCE, type Side, stagingOf } from '../../domain/targeting/compile.ts';
import { BLACKHOLED_STAGING, canBeMerged } from '../../domain/targeting/compile-reachable.ts';
import { MODIFIES, type Targeting, type TargetingSettings } from '../../domain/targeting/fields.ts';
import { MONTHLY_DONOR_STATES, type MonthlyDonorState, SORT_ORDERS, SUBSCRIPTION_STATUSES } from '../../domain/words.ts';
import { createDatabase } from '../support/database.ts';
import { insertPeople } from '../support/people.ts';

// The audience as the rules tell it, over plain objects: what the compiled SQL is held against.

interface World {
  people: Required<PersonOf>[];
  actions: { user: number; page: number; status: 'complete' | 'incomplete' }[];
  ledger: { mailing: number; user: number; state: number }[];
  members: { source: number; user: number }[];
  blackholed: number[];
  places: { user: number; cd: string; house: string; senate: string; county: string; region: string; point: number | null }[];
  gifts: Gift[];
  events: { campaign: number; status: string; days: number | null; state: string; county: string; cd: string; point: number | null }[];
  targets: { groups: number[]; type: string; state: string; seat: string; cd: string; country: string; hidden: boolean }[];
  merged: number[];
}

/** A donation, and the monthly or weekly profile it began, if any. `expires` in months from now, `canceled` in days ago. */
interface Gift {
  user: number;
  status: 'completed' | 'reversed';
  profile: { period: 'months' | 'weeks'; expires: number; canceled: number | null } | null;
}
interface PersonOf {
  id: number;
  email: string;
  state: string;
  country: string;
  region: string;
  zip: string;
  lang: number | null;
  status: (typeof SUBSCRIPTION_STATUSES)[number];
  lists: number[];
}

const MAILING = 9;
/** Points people and events are at, and the miles between them and the first: measured apart from the code. */
const POINTS = [
  { latitude: 40, longitude: -74 },
  { latitude: 40.3, longitude: -74 },
  { latitude: 42, longitude: -74 },
  { latitude: 40, longitude: -100 },
];
const MILES = [
  [0, 20.73, 138.19, 1369],
  [20.73, 0, 117.46, 1367],
  [138.19, 117.46, 0, 1347],
  [1369, 1367, 1347, 0],
];
/** What is around a place, in place of the map: the compiler is given it. */
const zipsAround = (places: readonly string[], miles: number | null): string[] => [
  ...places.flatMap((place) => (place === 'Albany, NY' ? ['10099'] : [])),
  ...(miles !== null && miles > 10 ? ['20500'] : []),
];
const PAGE_TAGS: Record<number, number[]> = { 1: [1], 2: [1, 2], 3: [] };

const COUNTRIES: Record<string, string[]> = {
  'United States': ['united states', 'usa', 'us'],
  CA: ['canada', 'ca'],
  Germany: ['de', 'germany'],
};

function matches(world: World, person: PersonOf, targeting: Targeting, side: Side): boolean[] {
  const acted = (pages: number[]) => world.actions.some((a) => a.user === person.id && a.status === 'complete' && pages.includes(a.page));
  const staged = (source: number) => world.members.some((member) => member.source === source && member.user === person.id);
  const mailedStates = side === 'includes' ? [1, 2, 5] : [0, 1, 2, 5];
  const place = world.places.find(({ user }) => user === person.id);
  const gifts = world.gifts.filter(({ user }) => user === person.id);
  const monthly = gifts.flatMap(({ profile }) => (profile?.period === 'months' ? [profile] : []));
  const donorTests: Record<MonthlyDonorState, (profile: NonNullable<Gift['profile']>) => boolean> = {
    any: () => true,
    active: ({ canceled }) => canceled === null,
    expires_this_month: ({ canceled, expires }) => canceled === null && expires === 0,
    expired_last_month: ({ canceled, expires }) => canceled === null && expires === -1,
    canceled_last_7_days: ({ canceled }) => canceled !== null && canceled < 7,
  };
  const nearEvent = (campaigns: number[]): boolean =>
    world.events.some(
      (event) =>
        campaigns.includes(event.campaign) &&
        event.status === 'active' &&
        (event.days === null || event.days > 0) &&
        place !== undefined &&
        event.point !== null &&
        place.point !== null &&
        MILES[event.point]![place.point]! <= (targeting.campaign_radius ?? 50) &&
        (!targeting.campaign_samestate_only || sameState(event)) &&
        (!targeting.campaign_same_county_only ||
          (sameState(event) && event.county !== '' && event.county.toLowerCase() === place.county.toLowerCase())) &&
        (!targeting.campaign_same_district_only || (event.cd !== '' && event.cd === place.cd)),
    );
  const sameState = (event: World['events'][number]) => event.state !== '' && event.state.toUpperCase() === place?.region.toUpperCase();
  const inZip = (zip: string): boolean => {
    if (zip.endsWith('*')) return person.zip.startsWith(zip.slice(0, -1));
    if (zip.includes(',')) return false;
    const [from = '', to = from] = zip.split('-');
    const five = person.zip.slice(0, 5);
    return /^\d{5}/.test(person.zip) && from <= five && five <= to;
  };
  const tests: { [Field in Exclude<keyof Targeting, keyof typeof MODIFIES>]-?: (value: NonNullable<Targeting[Field]>) => boolean } = {
    users: (ids) => ids.includes(person.id),
    lists: (ids) => ids.some((id) => person.lists.includes(id)),
    states: (codes) => codes.includes(person.state.toUpperCase()),
    countries: (names) => names.some((name) => COUNTRIES[name]!.includes(person.country.toLowerCase())),
    regions: (names) => names.some((name) => name.toLowerCase() === person.region.toLowerCase()),
    zips: (zips) => {
      const onMap = zipsAround(zips, targeting.zip_radius ?? null).some((zip) => person.zip.startsWith(zip));
      const isAmerican = ['', 'united states'].includes(person.country.toLowerCase());
      return targeting.zip_radius === undefined ? zips.some(inZip) || (onMap && isAmerican) : (zips.some(inZip) || onMap) && isAmerican;
    },
    campaigns: nearEvent,
    target_groups: (groups) => hasTarget(world, person, groups),
    counties: (names) => names.some((name) => name.toLowerCase() === place?.county.toLowerCase()),
    cds: (districts) => place !== undefined && districts.includes(place.cd),
    state_house_districts: (districts) => place !== undefined && districts.includes(place.house),
    state_senate_districts: (districts) => place !== undefined && districts.includes(place.senate),
    has_donated: (wanted) => gifts.some(({ status }) => status === 'completed') === wanted,
    was_monthly_donor: (states) => monthly.some((profile) => states.some((state) => donorTests[state](profile))),
    actions: acted,
    tags: (ids) => acted([1, 2, 3].filter((page) => PAGE_TAGS[page]?.some((tag) => ids.includes(tag)))),
    languages: (ids) => person.lang !== null && ids.includes(person.lang),
    mailings: (ids) => world.ledger.some((row) => row.user === person.id && ids.includes(row.mailing) && mailedStates.includes(row.state)),
    raw_sql: () => staged(MEMBER_SOURCE[side].raw_sql),
    query_reports: () => staged(MEMBER_SOURCE[side].query_reports),
  };
  return Object.entries(targeting).flatMap(([field, value]) =>
    !Object.hasOwn(MODIFIES, field) && (value === true || value === false || (value as unknown[]).length)
      ? [(tests[field as keyof typeof tests] as (value: unknown) => boolean)(value)]
      : [],
  );
}

/** The targets of hidden groups (2) stand for nobody. */
function hasTarget(world: World, person: PersonOf, groups: number[]): boolean {
  const place = world.places.find(({ user }) => user === person.id);
  return world.targets.some((target) => {
    if (target.hidden || !target.groups.some((group) => group !== 2 && groups.includes(group))) return false;
    if (target.cd) return place?.cd === target.cd;
    if (target.type === 'state_house' && /^[A-Z]{2}_\d{3}$/.test(target.seat)) return place?.house === target.seat;
    if (target.type === 'state_senate' && /^[A-Z]{2}_\d{3}$/.test(target.seat)) return place?.senate === target.seat;
    const state = place?.cd ? place.cd.slice(0, 2) : person.state.toUpperCase();
    return target.state !== '' && target.state === state && ['', target.country.toLowerCase()].includes(person.country.toLowerCase());
  });
}

/** What the mailing's own page (whose groups are 1 and 2) and file ask. */
interface Own {
  landingPage: number | null;
  mergefile: number | null;
}

function reference(world: World, settings: TargetingSettings, own: Own): number[] {
  const key = (person: PersonOf): string => {
    if (settings.sort_by === 'zip') return person.zip || '\uffff';
    if (settings.sort_by === 'random') return createHash('md5').update(`${MAILING}:${person.id}`).digest('hex');
    return '';
  };
  return world.people
    .filter((person) => person.status === 'subscribed' && person.lists.length > 0 && !world.blackholed.includes(person.id))
    .filter((person) => !world.ledger.some((row) => row.mailing === MAILING && row.user === person.id))
    .filter((person) => matches(world, person, settings.includes, 'includes').every(Boolean))
    .filter((person) => !matches(world, person, settings.excludes, 'excludes').some(Boolean))
    .filter((person) => own.landingPage === null || (own.landingPage === 5 && hasTarget(world, person, [1, 2])))
    .filter((person) => own.mergefile === null || (own.mergefile === 1 && world.merged.includes(person.id)))
    .sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id))
    .slice(0, settings.limit ?? undefined)
    .map((person) => person.id);
}

const some = <T>(...values: T[]) => fc.constantFrom(...values);
const STATES = ['NY', 'CA', 'ny', 'TX', ''];
const ZIPS = ['10001', '10002', '10099', '20500', '20500-0003', '1000', '', 'SW1A'];
const people = 40;

const worlds: fc.Arbitrary<World> = fc.record({
  people: fc.tuple(
    ...Array.from({ length: people }, (_, index) =>
      fc.record({
        id: fc.constant(index + 1),
        email: fc.constant(`Person${index + 1}@example.org`),
        state: some(...STATES),
        country: some('United States', 'united states', 'Canada', 'ca', 'DE', 'Germany', ''),
        region: some('', 'Bavaria'),
        zip: some(...ZIPS),
        lang: some(null, 1, 2),
        status: fc.oneof({ weight: 5, arbitrary: some('subscribed' as const) }, { weight: 1, arbitrary: some(...SUBSCRIPTION_STATUSES) }),
        lists: fc.subarray([1, 2]),
      }),
    ),
  ),
  actions: fc.array(
    fc.record({
      user: fc.integer({ min: 1, max: people }),
      page: fc.integer({ min: 1, max: 3 }),
      status: some('complete' as const, 'incomplete' as const),
    }),
    { maxLength: 40 },
  ),
  ledger: fc.uniqueArray(
    fc.record({
      mailing: some(7, 8, MAILING),
      user: fc.integer({ min: 1, max: people }),
      state: fc.integer({ min: 0, max: 5 }),
    }),
    { maxLength: 30, selector: (row) => `${row.mailing}:${row.user}` },
  ),
  members: fc.array(fc.record({ source: fc.integer({ min: 1, max: 4 }), user: fc.integer({ min: 1, max: people + 3 }) }), {
    maxLength: 40,
  }),
  places: fc.uniqueArray(
    fc.record({
      user: fc.integer({ min: 1, max: people }),
      cd: some('NY_12', 'NY_01', ''),
      house: some('NY_012', 'NY_001'),
      senate: some('NY_012', ''),
      county: some('Kings', 'kings', 'Queens', ''),
      region: some('NY', 'CA', ''),
      point: some(null, 0, 1, 2, 3),
    }),
    { maxLength: 30, selector: ({ user }) => user },
  ),
  gifts: fc.array(
    fc.record({
      user: fc.integer({ min: 1, max: people }),
      status: some('completed' as const, 'completed' as const, 'reversed' as const),
      profile: fc.option(
        fc.record({ period: some('months' as const, 'weeks' as const), expires: some(-2, -1, 0, 1), canceled: some(null, null, 3, 9) }),
        { nil: null },
      ),
    }),
    { maxLength: 20 },
  ),
  events: fc.array(
    fc.record({
      campaign: some(1, 2),
      status: some('active', 'active', 'active', 'cancelled'),
      days: some(null, 3, -3),
      state: some('NY', 'ny', 'CA', ''),
      county: some('Kings', 'Queens', ''),
      cd: some('NY_12', 'NY_01', ''),
      point: some(null, 0, 1, 2, 3),
    }),
    { maxLength: 6 },
  ),
  targets: fc.array(
    fc.record({
      groups: fc.subarray([1, 2, 3]),
      type: some('house', 'senate', 'state_house', 'state_senate', 'other'),
      state: some('NY', 'CA', ''),
      seat: some('', 'NY_012', 'NY_senior'),
      cd: some('', '', 'NY_12', 'NY_01'),
      country: some('United States', 'Canada'),
      hidden: some(false, false, true),
    }),
    { maxLength: 5 },
  ),
  merged: fc.uniqueArray(fc.integer({ min: 1, max: people }), { maxLength: 30 }),
  blackholed: fc.uniqueArray(fc.integer({ min: 1, max: people }), { maxLength: 4 }),
});

const targetings: fc.Arbitrary<Targeting> = fc.record(
  {
    users: fc.array(fc.integer({ min: 1, max: people + 2 }), { maxLength: 20 }),
    lists: fc.subarray([1, 2, 99]),
    states: fc.subarray(['NY', 'CA', 'TX']),
    countries: fc.subarray(Object.keys(COUNTRIES)),
    regions: fc.subarray(['bavaria']),
    zips: fc.oneof(
      fc.subarray(['10001', '20500', '1000*', '10002-10099', '00000-99999', 'Albany, NY']),
      // So many ranges that they are taken as the zips in them.
      fc.constant(Array.from({ length: 12 }, (_, index) => `100${10 + 5 * index}-100${12 + 5 * index}`).concat('10095-10099', '2*')),
    ),
    zip_radius: some(5, 20),
    campaigns: fc.subarray([1, 2, 99]),
    campaign_radius: some(5, 30, 130, 500),
    campaign_samestate_only: fc.boolean(),
    campaign_same_county_only: fc.boolean(),
    campaign_same_district_only: fc.boolean(),
    target_groups: fc.subarray([1, 2, 3]),
    actions: fc.subarray([1, 2, 3]),
    tags: fc.subarray([1, 2]),
    counties: fc.subarray(['Kings', 'Queens']),
    cds: fc.subarray(['NY_12', 'NY_01']),
    state_house_districts: fc.subarray(['NY_012', 'NY_001']),
    state_senate_districts: fc.subarray(['NY_012']),
    has_donated: fc.boolean(),
    was_monthly_donor: fc.subarray([...MONTHLY_DONOR_STATES]),
    languages: fc.subarray([1, 2]),
    mailings: fc.subarray([7, 8, 99]),
    raw_sql: fc.subarray(['select 1']),
    query_reports: fc.subarray([{ short_name: 'some' }]),
  },
  { requiredKeys: [] },
);

/** Mostly few fields at a time: with all of them nobody is left and nothing is shown. */
const sparse = targetings.chain((targeting) =>
  fc
    .subarray(
      Object.keys(targeting).filter((field) => !Object.hasOwn(MODIFIES, field)),
      { maxLength: 3 },
    )
    .map((kept) => kept.concat(Object.keys(MODIFIES).filter((field) => kept.includes(MODIFIES[field as keyof typeof MODIFIES]))))
    .map((kept) => Object.fromEntries(kept.map((field) => [field, targeting[field as keyof Targeting]])) as Targeting),
);

const settingsOf: fc.Arbitrary<TargetingSettings> = fc.record({
  includes: sparse,
  excludes: sparse,
  limit: fc.option(fc.integer({ min: 0, max: people }), { nil: null }),
  sort_by: fc.option(some(...SORT_ORDERS), { nil: null }),
});

/** Mostly nothing: 0 stands for a page or file that is gone. */
const owns: fc.Arbitrary<Own> = fc.record({ landingPage: some(null, null, null, 5, 0), mergefile: some(null, null, null, 1, 0) });

describe('targeting compiled to SQL', () => {
  let client: pg.Client;
  before(async () => {
    client = new pg.Client({ connectionString: await createDatabase() });
    await client.connect();
    await client.query(`
      insert into core_language (id, name) values (1, 'English'), (2, 'Español');
      insert into core_list (id, name) values (1, 'News'), (2, 'Alerts');
      insert into core_tag (id, name) values (1, 'climate'), (2, 'health');
      insert into core_page (id, name, type) values (1, 'one', 'signup'), (2, 'two', 'petition'), (3, 'three', 'signup'), (4, 'give', 'donation');
      insert into core_page_tags (page_id, tag_id) values (1, 1), (2, 1), (2, 2);
      insert into events_campaign (id, name) values (1, 'canvass'), (2, 'march');
      insert into core_targetgroup (id, name, type, hidden) values (1, 'one', 'special', false), (2, 'hidden', 'special', true), (3, 'three', 'special', false);
      insert into core_page (id, name, type) values (5, 'calls', 'whipcount');
      insert into core_whipcountpage (page_ptr_id) values (5);
      insert into core_whipcountpage_target_groups (page_id, targetgroup_id) values (5, 1), (5, 2);
      insert into core_mergefile (id) values (1)`);
  });
  after(() => client.end());

  async function load(world: World): Promise<void> {
    await client.query(`truncate core_user, core_blackholedemail, send_set, send_shard, send_accepted, send_exception cascade`);
    await insertPeople(client, world.people);
    await client.query(
      `insert into core_action (user_id, page_id, status) select "user", page, status from jsonb_to_recordset($1) as x("user" int, page int, status text)`,
      [JSON.stringify(world.actions)],
    );
    // Each in a shard of their own: pending above what is claimed, sending below, all else in the record.
    await client.query(
      `with row as (
         select mailing, row_number() over ()::int as position, "user", state from jsonb_to_recordset($1) as x(mailing int, "user" int, state int)),
       waiting as (insert into send_set select mailing, position, "user", "user", array["user"] from row where state < 2),
       shards as (insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to)
         select mailing, position, position, position, position - 1 + state from row where state < 2),
       accepted as (insert into send_accepted select "user", mailing, position, 0 from row where state = 2)
       insert into send_exception select mailing, position, "user", 0, state, now() from row where state > 2`,
      [JSON.stringify(world.ledger)],
    );
    await client.query(`insert into core_blackholedemail (email) select lower(email) from core_user where id = any($1)`, [
      world.blackholed,
    ]);
    const placed = <Place extends { point: number | null }>(rows: Place[]) =>
      JSON.stringify(rows.map((row) => ({ ...row, ...(row.point === null ? {} : POINTS[row.point]) })));
    await client.query(
      `insert into core_location (user_id, us_district, us_state_district, us_state_senate, us_county, region_code, latitude, longitude)
       select "user", cd, house, senate, county, region, latitude, longitude
       from jsonb_to_recordset($1) as x("user" int, cd text, house text, senate text, county text, region text, latitude float8, longitude float8)`,
      [placed(world.places)],
    );
    await client.query(
      `insert into events_event (campaign_id, status, starts_at, state, us_county, us_district, latitude, longitude)
       select campaign, status, now() + days * interval '1 day', state, county, cd, latitude, longitude
       from jsonb_to_recordset($1) as x(campaign int, status text, days int, state text, county text, cd text, latitude float8, longitude float8)`,
      [placed(world.events)],
    );
    await client.query(
      `with made as (
         insert into core_target (id, type, state, seat, us_district, country, hidden)
         select id, type, state, seat, cd, country, hidden
         from jsonb_to_recordset($1) as x(id int, type text, state text, seat text, cd text, country text, hidden boolean))
       insert into core_targetgroup_targets (target_id, targetgroup_id)
       select id, g::int from jsonb_to_recordset($1) as x(id int, groups jsonb), jsonb_array_elements_text(groups) as g`,
      [JSON.stringify(world.targets.map((target, index) => ({ ...target, id: 1000 + index })))],
    );
    await client.query(`insert into core_mergefilerow (mergefile_id, user_id, values) select 1, unnest($1::int[]), '{}'`, [world.merged]);
    await loadGifts(world.gifts);
    await client.query('drop table if exists target_member; create temporary table target_member (source int, user_id int)');
    await client.query(`insert into target_member select source, "user" from jsonb_to_recordset($1) as x(source int, "user" int)`, [
      JSON.stringify(world.members),
    ]);
  }

  async function loadGifts(gifts: Gift[]): Promise<void> {
    const rows = JSON.stringify(gifts.map((gift, index) => ({ ...gift, id: 1000 + index })));
    await client.query(
      `insert into core_action (id, user_id, page_id) select id, "user", 4 from jsonb_to_recordset($1) as x(id int, "user" int)`,
      [rows],
    );
    await client.query(
      `insert into core_orderuserdetail (id, user_id) select id, "user" from jsonb_to_recordset($1) as x(id int, "user" int)`,
      [rows],
    );
    await client.query(
      `insert into core_order (id, action_id, user_id, user_detail_id, account_id, total, total_converted, status)
       select id, id, "user", id, 1, 5, 5, status from jsonb_to_recordset($1) as x(id int, "user" int, status text)`,
      [rows],
    );
    await client.query(
      `insert into core_orderrecurring (order_id, action_id, user_id, account_id, recurring_id, amount, amount_converted, start, period, exp_date, status, canceled_at)
       select id, id, "user", 1, id::text, 5, 5, now(), profile ->> 'period',
         to_char((now() at time zone 'UTC') + ((profile ->> 'expires') || ' months')::interval, 'MMYY'),
         case when profile ->> 'canceled' is null then 'active' else 'canceled_by_user' end,
         now() - ((profile ->> 'canceled') || ' days')::interval
       from jsonb_to_recordset($1) as x(id int, "user" int, profile jsonb) where jsonb_typeof(profile) = 'object'`,
      [rows],
    );
  }

  it('gives the same people in the same order as the rules over plain objects', async () => {
    let [shown, shownMerged] = [0, 0];
    await fc.assert(
      fc.asyncProperty(worlds, fc.array(fc.tuple(settingsOf, owns), { minLength: 16, maxLength: 16 }), async (world, many) => {
        await client.query('begin');
        try {
          await load(world);
          for (const [settings, own] of many) {
            await client.query('delete from target_member where source > 4');
            for (const side of ['includes', 'excludes'] as const) {
              for (const { text, values } of stagingOf(settings[side], side)) await client.query(text, [...values]);
            }
            const expected = reference(world, settings, own);
            await client.query(BLACKHOLED_STAGING.text, [...BLACKHOLED_STAGING.values]);
            for (const merged of canBeMerged({ ...settings, ...own }) ? [false, true] : [false]) {
              await client.query(
                `set local enable_hashjoin = ${merged ? 'off' : 'on'}; set local enable_nestloop = ${merged ? 'off' : 'on'}`,
              );
              const query = compileAudience(settings, { mailingId: MAILING, zipsAround, ...own, merged });
              const { rows } = await client.query<{ user_id: number; place: string }>(`${query.text} order by place`, [...query.values]);
              assert.deepEqual(
                rows.map((row) => row.user_id),
                expected,
                JSON.stringify({ settings, own, merged }),
              );
              assert.deepEqual(
                rows.map((row) => Number(row.place)),
                expected.map((_, index) => index + 1),
              );
              if (merged) shownMerged += expected.length;
            }
            shown += expected.length;
          }
        } finally {
          await client.query('rollback');
        }
      }),
      { seed: 20_240_501, numRuns: 25 },
    );
    assert.ok(shown > 500 && shownMerged > 200, `the draws must reach people: ${shown}, ${shownMerged} by merging`);
  });
});
