import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { compileAudience, MEMBER_SOURCE, type Side } from '../../domain/targeting/compile.ts';
import type { Targeting, TargetingSettings } from '../../domain/targeting/fields.ts';
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
  places: { user: number; cd: string; house: string; senate: string; county: string }[];
  gifts: Gift[];
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
const PAGE_TAGS: Record<number, number[]> = { 1: [1], 2: [1, 2], 3: [] };

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
  const inZip = (zip: string): boolean => {
    if (zip.endsWith('*')) return person.zip.startsWith(zip.slice(0, -1));
    const [from = '', to = from] = zip.split('-');
    const five = person.zip.slice(0, 5);
    return /^\d{5}/.test(person.zip) && from <= five && five <= to;
  };
  const tests: { [Field in keyof Targeting]-?: (value: NonNullable<Targeting[Field]>) => boolean } = {
    users: (ids) => ids.includes(person.id),
    lists: (ids) => ids.some((id) => person.lists.includes(id)),
    states: (codes) => codes.includes(person.state.toUpperCase()),
    countries: (names) => names.some((name) => name.toLowerCase() === person.country.toLowerCase()),
    regions: (names) => names.some((name) => name.toLowerCase() === person.region.toLowerCase()),
    zips: (zips) => zips.some(inZip),
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
    value === true || value === false || value.length ? [(tests[field as keyof Targeting] as (value: unknown) => boolean)(value)] : [],
  );
}

function reference(world: World, settings: TargetingSettings): number[] {
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
        country: some('United States', 'united states', 'Canada', ''),
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
  blackholed: fc.uniqueArray(fc.integer({ min: 1, max: people }), { maxLength: 4 }),
});

const targetings: fc.Arbitrary<Targeting> = fc.record(
  {
    users: fc.array(fc.integer({ min: 1, max: people + 2 }), { maxLength: 20 }),
    lists: fc.subarray([1, 2, 99]),
    states: fc.subarray(['NY', 'CA', 'TX']),
    countries: fc.subarray(['United States', 'Canada']),
    regions: fc.subarray(['bavaria']),
    zips: fc.subarray(['10001', '20500', '1000*', '10002-10099', '00000-99999']),
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
    .subarray(Object.keys(targeting), { maxLength: 3 })
    .map((kept) => Object.fromEntries(kept.map((field) => [field, targeting[field as keyof Targeting]])) as Targeting),
);

const settingsOf: fc.Arbitrary<TargetingSettings> = fc.record({
  includes: sparse,
  excludes: sparse,
  limit: fc.option(fc.integer({ min: 0, max: people }), { nil: null }),
  sort_by: fc.option(some(...SORT_ORDERS), { nil: null }),
});

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
      insert into core_page_tags (page_id, tag_id) values (1, 1), (2, 1), (2, 2)`);
  });
  after(() => client.end());

  async function load(world: World): Promise<void> {
    await client.query(`truncate core_user, core_blackholedemail, send_ledger cascade`);
    await insertPeople(client, world.people);
    await client.query(
      `insert into core_action (user_id, page_id, status) select "user", page, status from jsonb_to_recordset($1) as x("user" int, page int, status text)`,
      [JSON.stringify(world.actions)],
    );
    await client.query(
      `insert into send_ledger (mailing_id, position, user_id, state)
       select mailing, row_number() over (), "user", state from jsonb_to_recordset($1) as x(mailing int, "user" int, state int)`,
      [JSON.stringify(world.ledger)],
    );
    await client.query(`insert into core_blackholedemail (email) select lower(email) from core_user where id = any($1)`, [
      world.blackholed,
    ]);
    await client.query(
      `insert into core_location (user_id, us_district, us_state_district, us_state_senate, us_county)
       select "user", cd, house, senate, county from jsonb_to_recordset($1) as x("user" int, cd text, house text, senate text, county text)`,
      [JSON.stringify(world.places)],
    );
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

  it('gives the same people in the same order as the rules over plain objects', async function () {
    this.timeout(120_000);
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(worlds, fc.array(settingsOf, { minLength: 12, maxLength: 12 }), async (world, many) => {
        await client.query('begin');
        try {
          await load(world);
          for (const settings of many) {
            const query = compileAudience(settings, { mailingId: MAILING });
            const { rows } = await client.query<{ user_id: number; place: string }>(query.text, [...query.values]);
            const expected = reference(world, settings);
            assert.deepEqual(
              rows.map((row) => row.user_id),
              expected,
              JSON.stringify(settings),
            );
            assert.deepEqual(
              rows.map((row) => Number(row.place)),
              expected.map((_, index) => index + 1),
            );
            shown += expected.length;
          }
        } finally {
          await client.query('rollback');
        }
      }),
      { seed: 20_240_501, numRuns: 25 },
    );
    assert.ok(shown > 500, `the draws must reach people: ${shown}`);
  });
});
