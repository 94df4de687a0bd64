import assert from 'node:assert/strict';
import fc from 'fast-check';
import pg from 'pg';
import { mergeUsers } from '../../../core/people/merge.ts';
import type { Sql } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { createDatabase } from '../../support/database.ts';
import { become, putInSet } from '../../support/sending.ts';

interface Person {
  lists: number[];
  fields: Record<string, string>;
  phones: { number: string; type: string }[];
  actions: number;
  mailed: { mailing: number; state: number }[];
  state: string;
  source: string;
}

interface Case {
  people: Person[];
  addressUser: number;
  sourceUser: number;
  smsUser: number | null;
  lists: number[] | null;
}

const REENGAGEMENT = 3;
const LISTS = [1, 2, REENGAGEMENT, 4];
/** How much a state of the ledger says: who was mailed under either address must not be mailed again. */
const SAYS = [0, 3, 5, 2, 1, 4];

const person: fc.Arbitrary<Person> = fc.record({
  lists: fc.uniqueArray(fc.constantFrom(...LISTS)),
  fields: fc.dictionary(fc.constantFrom('shirt', 'shoe', 'hat'), fc.constantFrom('S', 'M', 'L'), { maxKeys: 3 }),
  phones: fc.uniqueArray(fc.record({ number: fc.constantFrom('1', '2'), type: fc.constantFrom('home', 'mobile') }), {
    selector: ({ number, type }) => number + type,
  }),
  actions: fc.nat(3),
  mailed: fc.uniqueArray(fc.record({ mailing: fc.constantFrom(1, 2), state: fc.nat(5) }), { selector: ({ mailing }) => mailing }),
  state: fc.constantFrom('NY', 'CA', ''),
  source: fc.constantFrom('web', 'import'),
});

const wish: fc.Arbitrary<Case> = fc.array(person, { minLength: 2, maxLength: 4 }).chain((people) => {
  const anyone = fc.nat(people.length - 1);
  return fc.record({
    people: fc.constant(people),
    addressUser: anyone,
    sourceUser: anyone,
    smsUser: fc.option(anyone),
    lists: fc.option(fc.uniqueArray(fc.constantFrom(...LISTS))),
  });
});

/** The rules of a merge, read plainly. The first is the primary user. */
function reference({ people, addressUser, sourceUser, smsUser, lists }: Case) {
  const [primary] = people as [Person, ...Person[]];
  const somebodys = new Set(people.flatMap((each) => each.lists));
  let after = new Set<number>();
  if (lists === null || lists.length > 0) {
    after = new Set(LISTS.filter((list) => somebodys.has(list) && (lists === null || lists.includes(list))));
    after.delete(REENGAGEMENT);
    if (primary.lists.includes(REENGAGEMENT)) after.add(REENGAGEMENT);
  }
  const phones = people.flatMap((each, index) =>
    each.phones.filter(({ type }) => type !== 'mobile' || smsUser === null || smsUser === index),
  );
  const mailed = new Map<number, number>();
  for (const { mailing, state } of people.flatMap((each) => each.mailed)) {
    if (!mailed.has(mailing) || SAYS[state]! > SAYS[mailed.get(mailing)!]!) mailed.set(mailing, state);
  }
  return {
    state: people[addressUser]!.state,
    source: people[sourceUser]!.source,
    status: after.size > 0 ? 'subscribed' : somebodys.size > 0 ? 'unsubscribed' : 'never',
    lists: [...after].sort(),
    fields: Object.assign({}, ...people.toReversed().map((each) => each.fields)),
    phones: [...new Set(phones.map(({ number, type }) => `${number} ${type}`))].sort(),
    actions: people.reduce((sum, each) => sum + each.actions, 0),
    mailed: [...mailed].map(([mailing, state]) => `${mailing} ${state}`).sort(),
  };
}

describe('merging users', () => {
  let pool: pg.Pool;
  let position = 0;

  before(async () => {
    pool = new pg.Pool({ connectionString: await createDatabase(), max: 4 });
    await pool.query(
      `insert into core_list (id, name, is_reengagement) select n, 'list ' || n, n = ${REENGAGEMENT} from generate_series(1, 4) n`,
    );
    await pool.query(`insert into core_page (id, name, type) values (1, 'page', 'signup')`);
    // Rows of the ledger below name mailings that are not there.
    await pool.query(`select setval('core_mailing_id_seq', 1000)`);
  });
  after(() => pool.end());

  async function insertPerson({ lists, fields, phones, actions, mailed, state, source }: Person): Promise<number> {
    const status = lists.length > 0 ? 'subscribed' : 'never';
    const { rows } = await pool.query(
      `insert into core_user (email, state, source, subscription_status) values (gen_random_uuid() || '@example.org', $1, $2, $3) returning id`,
      [state, source, status],
    );
    const id: number = rows[0].id;
    await pool.query('insert into core_subscription (user_id, list_id) select $1, unnest($2::int[])', [id, lists]);
    await pool.query('insert into core_userfield (parent_id, name, value) select $1, key, value from jsonb_each_text($2)', [id, fields]);
    await pool.query(
      `insert into core_phone (user_id, phone, normalized_phone, type) select $1, number, number, type
       from jsonb_to_recordset($2) x(number text, type text)`,
      [id, JSON.stringify(phones)],
    );
    await pool.query('insert into core_action (user_id, page_id) select $1, 1 from generate_series(1, $2)', [id, actions]);
    for (const { mailing, state: became } of mailed) {
      // Who waits stands where no shard is, who is on the wire in one of their own.
      const at = became === 0 ? 1_000_000 + ++position : ++position;
      await putInSet(pool, mailing, [id], at);
      if (became === 1) {
        await pool.query('insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to) values ($1, $2, $2, $2, $2)', [
          mailing,
          at,
        ]);
      } else if (became > 1) await become(pool, mailing, [{ position: at, state: became }]);
    }
    return id;
  }

  async function insertJob(ids: number[], { addressUser, sourceUser, smsUser, lists }: Case): Promise<number> {
    const { rows } = await pool.query(
      'insert into core_usermerge (primary_user, users, address_user, source_user, sms_user, lists) values ($1, $2, $3, $4, $5, $6) returning id',
      [
        ids[0],
        JSON.stringify(ids.slice(1)),
        ids[addressUser],
        ids[sourceUser],
        smsUser === null ? null : ids[smsUser],
        lists === null ? null : JSON.stringify(lists),
      ],
    );
    return rows[0].id;
  }

  async function outcome(id: number) {
    const { rows } = await pool.query(
      `select state, source, subscription_status as status,
        array(select list_id from core_subscription where user_id = u.id order by 1) as lists,
        (select coalesce(jsonb_object_agg(name, value), '{}') from core_userfield where parent_id = u.id) as fields,
        array(select normalized_phone || ' ' || type from core_phone where user_id = u.id order by 1) as phones,
        (select count(*)::int from core_action where user_id = u.id) as actions,
        array(select mailing_id || ' ' || state from send_record where user_id = u.id order by 1) as mailed
       from core_user u where id = $1`,
      [id],
    );
    return rows[0];
  }

  /** Everything in the database that a merge may touch. */
  async function everything(ids: number[]) {
    const tables = ['core_subscription', 'core_subscriptionhistory', 'core_action', 'core_phone', 'send_record', 'core_location'];
    const rows = [await pool.query('select * from core_user where id = any($1) order by id', [ids])];
    for (const table of tables) rows.push(await pool.query(`select * from ${table} x where user_id = any($1) order by x::text`, [ids]));
    rows.push(await pool.query('select * from core_userfield where parent_id = any($1) order by id', [ids]));
    return rows.map((result) => result.rows);
  }

  it('comes out as a plain reading of the rules says, whatever the users, lists and wishes', async () => {
    await fc.assert(
      fc.asyncProperty(wish, async (given) => {
        const ids: number[] = [];
        for (const each of given.people) ids.push(await insertPerson(each));
        const job = await insertJob(ids, given);
        await inOneTransaction(pool, (sql) => mergeUsers(sql, job));
        const after = await outcome(ids[0]!);
        const expected = reference(given);
        assert.deepEqual(after, expected);
        const { rows } = await pool.query('select id from core_user where id = any($1)', [ids]);
        assert.deepEqual(rows, [{ id: ids[0] }]);
        assert.equal((await pool.query('select status from core_usermerge where id = $1', [job])).rows[0].status, 'complete');
      }),
      { numRuns: 60 },
    );
  });

  it('leaves every user as they were when it dies between any two statements, and comes out the same when it is run again', async () => {
    const rich = (lists: number[]): Person => ({
      lists,
      fields: { shirt: 'L' },
      phones: [{ number: '1', type: 'mobile' }],
      actions: 2,
      mailed: [{ mailing: 3, state: 2 }],
      state: 'NY',
      source: 'web',
    });
    const given: Case = { people: [rich([1]), rich([2, 3])], addressUser: 1, sourceUser: 1, smsUser: 1, lists: [2] };
    const ids = [await insertPerson(given.people[0]!), await insertPerson(given.people[1]!)];
    const job = await insertJob(ids, given);
    const before = await everything(ids);
    let died = 0;
    for (let last = 1; ; last++) {
      let statements = 0;
      const run = inOneTransaction(pool, async (sql) => {
        const [{ pid } = { pid: 0 }] = await sql<{ pid: number }>('select pg_backend_pid() as pid');
        const dying: Sql = async (text, values) => {
          // The server ends the connection, as it does when the worker's process is gone.
          if (++statements === last) await pool.query('select pg_terminate_backend($1)', [pid]);
          return sql(text, values);
        };
        await mergeUsers(dying, job);
      });
      const outcome = await run.then(
        () => 'done',
        () => 'died',
      );
      if (outcome === 'done') break;
      died++;
      assert.deepEqual(await everything(ids), before);
    }
    assert.ok(died > 20, `${died} places to die at`);
    assert.deepEqual(await outcome(ids[0]!), reference(given));
    await inOneTransaction(pool, (sql) => mergeUsers(sql, job));
    assert.deepEqual(await outcome(ids[0]!), reference(given));
  });

  it('has mailings that name a merged user name the primary, and mails nobody whom one excludes', async () => {
    const nobody: Person = { lists: [1], fields: {}, phones: [], actions: 0, mailed: [], state: '', source: '' };
    const [primary, merged, stranger] = [await insertPerson(nobody), await insertPerson(nobody), await insertPerson(nobody)] as const;
    const insertMailing = async (includes: object, excludes: object, proofUsers: number[], status = 'draft') => {
      const { rows } = await pool.query(
        `insert into core_mailing (includes, excludes, proof_users, status, saved_count, query_status) values ($1, $2, $3, $4, 2, 'saved') returning id`,
        [includes, excludes, JSON.stringify(proofUsers), status],
      );
      return rows[0].id as number;
    };
    const included = await insertMailing({ users: [stranger, merged, primary], states: ['NY'] }, {}, [merged]);
    const excluded = await insertMailing({}, { users: [merged] }, []);
    const sending = await insertMailing({}, { users: [merged] }, [], 'sending');
    const other = await insertMailing({ users: [stranger] }, { users: [stranger] }, [stranger]);
    for (const mailing of [excluded, sending, other]) {
      await putInSet(pool, mailing, [primary!, stranger!]);
    }
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, held_until) values ($1, 0, 1, 10, 0, now())`,
      [sending],
    );
    const wish = { people: [], addressUser: 0, sourceUser: 0, smsUser: null, lists: null };
    const job = await insertJob([primary, merged], wish);
    await inOneTransaction(pool, (sql) => mergeUsers(sql, job));
    const { rows } = await pool.query(
      `select m.id, includes, excludes, proof_users, saved_count, query_status, targeting_version,
         array(select user_id || ' ' || state from send_record l where l.mailing_id = m.id order by position) as set from core_mailing m
       where id = any($1) order by id`,
      [[included, excluded, sending, other]],
    );
    const same = { saved_count: 2, query_status: 'saved', targeting_version: rows[3].targeting_version };
    assert.deepEqual(rows, [
      {
        ...same,
        id: included,
        includes: { users: [primary, stranger].sort((a, b) => a - b), states: ['NY'] },
        excludes: {},
        proof_users: [primary],
        set: [],
      },
      { ...same, id: excluded, includes: {}, excludes: { users: [primary] }, proof_users: [], set: [`${stranger} 0`], saved_count: 1 },
      { ...same, id: sending, includes: {}, excludes: { users: [primary] }, proof_users: [], set: [`${primary} 4`, `${stranger} 0`] },
      {
        ...same,
        id: other,
        includes: { users: [stranger] },
        excludes: { users: [stranger] },
        proof_users: [stranger],
        set: [`${primary} 0`, `${stranger} 0`],
      },
    ]);
    const shard = await pool.query('select skipped from send_shard where mailing_id = $1', [sending]);
    assert.deepEqual(shard.rows, [{ skipped: 1 }]);
  });

  it('mails nobody whom a mailing excludes under the name that stays', async () => {
    const nobody: Person = { lists: [1], fields: {}, phones: [], actions: 0, mailed: [], state: '', source: '' };
    const [primary, merged, stranger] = [await insertPerson(nobody), await insertPerson(nobody), await insertPerson(nobody)] as const;
    const mailings: number[] = [];
    for (const status of ['draft', 'sending']) {
      const { rows } = await pool.query(
        `insert into core_mailing (excludes, status, saved_count, query_status) values ($1, $2, 2, 'saved') returning id`,
        [{ users: [primary] }, status],
      );
      mailings.push(rows[0].id);
      await putInSet(pool, rows[0].id, [merged, stranger]);
    }
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, held_until) values ($1, 0, 1, 10, 0, now())`,
      [mailings[1]],
    );
    const job = await insertJob([primary, merged], { people: [], addressUser: 0, sourceUser: 0, smsUser: null, lists: null });
    await inOneTransaction(pool, (sql) => mergeUsers(sql, job));
    const { rows } = await pool.query(
      `select saved_count, array(select user_id || ' ' || state from send_record l where l.mailing_id = m.id order by position) as set
       from core_mailing m where id = any($1) order by id`,
      [mailings],
    );
    assert.deepEqual(rows, [
      { saved_count: 1, set: [`${stranger} 0`] },
      { saved_count: 2, set: [`${primary} 4`, `${stranger} 0`] },
    ]);
  });

  it('makes nobody else wait', async () => {
    const [primary, merged, stranger] = await Promise.all(
      [1, 2, 3].map(() => insertPerson({ lists: [1], fields: {}, phones: [], actions: 0, mailed: [], state: '', source: '' })),
    );
    await pool.query('insert into core_action (user_id, page_id) select $1, 1 from generate_series(1, 2000)', [merged]);
    const job = await insertJob([primary!, merged!], { people: [], addressUser: 0, sourceUser: 0, smsUser: null, lists: null });
    await inOneTransaction(pool, async (sql) => {
      await mergeUsers(sql, job);
      const began = performance.now();
      await pool.query(`update core_user set first_name = 'x' where id = $1`, [stranger]);
      await pool.query('insert into core_action (user_id, page_id) values ($1, 1)', [stranger]);
      await pool.query('delete from core_subscription where user_id = $1', [stranger]);
      await pool.query(`insert into core_user (email) values ('new@example.org')`);
      // Who waits for the merge waits for ever: it goes on when they are done.
      assert.ok(performance.now() - began < 20_000, `waited ${performance.now() - began} ms`);
    });
  });
});
