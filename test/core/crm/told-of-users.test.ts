import { deepEqual, equal, rejects } from 'node:assert/strict';
import type pg from 'pg';
import { readEnv } from '../../../config/env.ts';
import { askChanged, giveUp, mergeMappings } from '../../../core/crm/mapping-status.ts';
import { openCrm } from '../../../core/crm/open.ts';
import { CrmPace } from '../../../core/crm/pace.ts';
import { endErased } from '../../../core/crm/partner/erased.ts';
import { integrateOne } from '../../../core/crm/partner/integrate.ts';
import { PARTNER_SOURCES } from '../../../core/crm/partner/sources.ts';
import { disconnectMapping, requestSync } from '../../../core/crm/requests.ts';
import { syncBatch } from '../../../core/crm/round.ts';
import { type SyncParts, syncMapping } from '../../../core/crm/sync-mapping.ts';
import { eraseUser } from '../../../core/people/erase.ts';
import { removeBelongings } from '../../../core/people/removal.ts';
import { createPool } from '../../../db/pool.ts';
import { sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { StubCrm } from '../../support/crm-stub.ts';
import { createDatabase } from '../../support/database.ts';
import { merge } from '../../support/merging.ts';
import { ScriptedRelay } from '../../support/sending.ts';
import { untilWaiting } from '../../support/sessions.ts';

describe('what the CRM hears of users', () => {
  let url: string;
  let pool: pg.Pool;
  let stub: StubCrm;

  before(async () => {
    url = await createDatabase();
    pool = createPool(url, 5);
    stub = await new StubCrm().listen();
  });
  after(async () => {
    await pool.end();
    await stub.close();
  });
  beforeEach(async () => {
    stub.reset();
    await pool.query('truncate core_crmmap');
  });

  function parts(): SyncParts {
    const settings = { CRM_KIND: 'http', CRM_URL: stub.url, CRM_TIMEOUT_MS: '30000', CRM_RATE: '1000' };
    const log = { info() {}, warn() {}, error() {} };
    const env = readEnv({ DATABASE_URL: url, NODE_ENV: 'test', ...settings });
    const deps = { env, pool, log, relay: new ScriptedRelay(1), shuttingDown: new AbortController().signal };
    return { deps, crm: openCrm(env, 'crm')!, pace: new CrmPace(deps, 'crm', 1000) };
  }
  const sync = async (mapId: number) => (await syncMapping(parts(), mapId)).kind;
  const idOf = async (text: string, values: unknown[] = []): Promise<number> =>
    (await pool.query(`${text} returning id`, values)).rows[0].id;
  const person = async (email: string, name: string) => {
    const user = await idOf('insert into core_user (email, first_name) values ($1, $2)', [email, name]);
    return { user, map: await idOf('insert into core_crmmap (user_id) values ($1)', [user]) };
  };
  const erase = async (user: number) => {
    const job = await idOf(`insert into core_erasure (user_id, options) values ($1, '[]')`, [user]);
    await inOneTransaction(pool, (sql) => eraseUser(sql, job, 'secret'));
  };

  it('is their erasure also where the answer to the change of a contact found by address was lost', async () => {
    stub.contacts.set('7', { id: '7', external_ref: '', email: 'known@example.org' });
    const { user, map } = await person('known@example.org', 'Ada');
    stub.fault = ({ method }) => (method === 'PATCH' ? { kind: 'lost' } : null);
    equal(await sync(map), 'later');
    equal(stub.contacts.get('7')!.first_name, 'Ada');
    stub.fault = () => null;
    await erase(user);
    deepEqual([await sync(map), stub.contacts.get('7')!.ended], ['disconnected', 'erased']);
  });

  it('is a change, too, whose transaction began before that of one it has heard of', async () => {
    const { user, map } = await person('slow@example.org', 'Sue');
    const change = `update core_user set first_name = $2, updated_at = now() where id = $1`;
    const slow = await pool.connect();
    await slow.query('begin');
    await slow.query('select now()');
    await pool.query(change, [user, 'Second']);
    deepEqual([await sync(map), await askChanged(pool)], ['synced', 0]);
    await slow.query(change, [user, 'Third']);
    await slow.query('commit');
    slow.release();
    deepEqual([await askChanged(pool), await sync(map), await askChanged(pool)], [1, 'synced', 0]);
    deepEqual(
      [...stub.contacts.values()].map(({ first_name: name }) => name),
      ['Third'],
    );
  });

  it('is their erasure also where they are merged before it has heard of it', async () => {
    const [ann, bea] = [await person('a@example.org', 'Ann'), await person('b@example.org', 'Bea')];
    for (const { map } of [ann, bea]) equal(await sync(map), 'synced');
    await erase(ann.user);
    await inOneTransaction(pool, (sql) => mergeMappings(sql, bea.user, [ann.user]));
    await sync(ann.map);
    equal([...stub.contacts.values()].find(({ first_name: name }) => name === 'Ann')!.ended, 'erased');
  });

  it('is not held up by one whose contact has an id that is no text', async () => {
    const maps = [await person('odd@example.org', 'Odd'), await person('even@example.org', 'Eve')].map(({ map }) => map);
    stub.fault = ({ path, body }) =>
      path === '/contacts/find' && body['email'] === 'odd@example.org' ? { kind: 'raw', body: '{"ids":["\\ud800"]}' } : null;
    const { synced, passedOver } = await syncBatch(parts(), { after: 0 }, () => {});
    deepEqual([maps.length, synced, passedOver], [2, 1, 1]);
  });

  it('is nothing of somebody erased, though a round or a run found them before that', async () => {
    const user = await idOf(`insert into core_user (email, first_name) values ('late@example.org', 'Lea')`);
    await pool.query(`insert into core_userfield (parent_id, name, value) values ($1, 'employer', 'Analytical Engines')`, [user]);
    await erase(user);
    const map = await idOf('insert into core_crmmap (user_id) values ($1)', [user]);
    equal(await sync(map), 'disconnected');
    const { deps, crm, pace } = parts();
    equal(await integrateOne({ deps, partner: crm, pace }, PARTNER_SOURCES[0]!, user), 'skipped');
    deepEqual(stub.requests, []);
  });

  it('is also what was asked for when a run had just made its last try and was giving up', async () => {
    const { map } = await person('again@example.org', 'Ada');
    stub.fault = () => ({ kind: 'status', status: 503 });
    equal(await sync(map), 'later');
    await inOneTransaction(pool, (sql) => requestSync(sql, map));
    await giveUp(pool, map, 'The CRM was away for 72 hours');
    stub.fault = () => null;
    equal(await sync(map), 'synced');
  });

  it('is no end of who they were merged into between the moment a try took their mapping and the one it read them', async () => {
    const { user, map } = await person('merged@example.org', 'Meg');
    equal(await sync(map), 'synced');
    const primary = await idOf(`insert into core_user (email, first_name) values ('stays@example.org', 'Sam')`);
    await inOneTransaction(pool, (sql) => requestSync(sql, map));
    const query = async (asked: { name?: string }, values?: unknown[]) => {
      const answer = await pool.query(asked as pg.QueryConfig, values);
      if (asked.name === 'crm-claim') await merge(pool, primary, [user]);
      return answer;
    };
    const { deps, ...others } = parts();
    const overtaken = { ...others, deps: { ...deps, pool: Object.create(pool, { query: { value: query } }) as pg.Pool } };
    equal((await syncMapping(overtaken, map)).kind, 'idle');
    equal(await sync(map), 'synced');
    const [contact] = stub.contacts.values();
    deepEqual([contact!.first_name, contact!.ended], ['Sam', undefined]);
  });

  for (const [known, when] of [
    ['', 'while it is ended'],
    [' whose creation got no answer', 'before that'],
  ] as const)
    it(`leaves whoever became the contact of somebody erased${known} ${when} as they are`, async () => {
      const [email, before] = [`twice${known.length}@example.org`, new Set(stub.contacts.keys())];
      const ann = await person(email, 'Ann');
      if (known) stub.fault = ({ method, path }) => (method === 'POST' && path === '/contacts' ? { kind: 'lost' } : null);
      await sync(ann.map);
      stub.fault = () => null;
      await erase(ann.user);
      const bea = await person(email, 'Bea');
      if (known) equal(await sync(bea.map), 'synced');
      const { crm, ...others } = parts();
      const ending = Object.create(crm, {
        endContact: {
          value: async (...given: Parameters<typeof crm.endContact>) => {
            equal(await sync(bea.map), 'synced');
            await crm.endContact(...given);
            stub.contacts.get(given[0])!.first_name = '';
          },
        },
      });
      await syncMapping({ ...others, crm: ending }, ann.map);
      await sync(bea.map);
      const contacts = [...stub.contacts.values()].filter(({ id }) => !before.has(id));
      deepEqual(
        contacts.map(({ first_name: name, ended }) => [name, ended === undefined]),
        [['Bea', known !== '']],
      );
    });

  it('is no end of a contact that became another’s while that waited for its turn', async () => {
    const [ann, bea] = [await person('ann@example.org', 'Ann'), await person('bea@example.org', 'Bea')];
    equal(await sync(ann.map), 'synced');
    const [contact] = stub.contacts.values();
    await inOneTransaction(pool, (sql) => disconnectMapping(sql, ann.map));
    const { pace, ...others } = parts();
    const wait = async () => {
      await pool.query('update core_crmmap set crm_id = $2 where id = $1', [bea.map, contact!.id]);
    };
    equal(
      (await syncMapping({ ...others, pace: Object.create(pace, { wait: { value: wait } }) as CrmPace }, ann.map)).kind,
      'disconnected',
    );
    equal(contact!.ended, undefined);
  });

  it('waits for everybody where the CRM asks for patience when it is asked whether it is there', async () => {
    const { map } = await person('choking@example.org', 'Chloe');
    stub.fault = ({ body }) => {
      if (body['email']) return { kind: 'status', status: 500 };
      return { kind: 'status', status: 429, headers: { 'retry-after': '60' } };
    };
    const held = parts();
    const { later } = await syncBatch(held, { after: map - 1 }, () => {});
    deepEqual([later?.why, later?.waitMs], ['busy', 60_000]);
    await rejects(held.pace.wait(), /asked for a pause/);
    await pool.query('truncate send_pace');
  });

  it('is passed over where the partner system always fails at one who was erased, and those after it are told', async () => {
    const users = [await person('one@example.org', 'One'), await person('two@example.org', 'Two')].map(({ user }) => user);
    for (const [n, user] of users.entries()) {
      await pool.query('insert into core_partnerusermap (user_id, partner_contact_id) values ($1, $2)', [user, 5 + n]);
      await erase(user);
    }
    stub.contacts.set('6', { id: '6', external_ref: '', email: 'two@example.org' });
    stub.fault = ({ path }) => (path === '/contacts/5/end' ? { kind: 'status', status: 500 } : null);
    const { deps, crm, pace } = parts();
    equal(await endErased({ deps, partner: crm, pace }), null);
    const { rows } = await pool.query('select partner_contact_id::int as contact from core_partnerusermap');
    deepEqual([rows, stub.contacts.get('6')!.ended], [[{ contact: 5 }], 'erased']);
  });

  it('is no erasure of a partner contact that somebody else is, too, until they are erased', async () => {
    const users = [await person('half@example.org', 'Hal'), await person('other-half@example.org', 'Hal')].map(({ user }) => user);
    for (const user of users) await pool.query('insert into core_partnerusermap (user_id, partner_contact_id) values ($1, 8)', [user]);
    stub.contacts.set('8', { id: '8', external_ref: '', email: 'other-half@example.org' });
    const { deps, crm, pace } = parts();
    for (const [user, ended, left] of [
      [users[0]!, undefined, 1],
      [users[1]!, 'erased', 0],
    ] as const) {
      await erase(user);
      equal(await endErased({ deps, partner: crm, pace }), null);
      const { rowCount } = await pool.query('select from core_partnerusermap where user_id = any($1::int[])', [users]);
      deepEqual([stub.contacts.get('8')!.ended, rowCount], [ended, left]);
    }
  });

  describe('and the partner system, of who was erased and is gone before it was told', () => {
    /** Erased people with a contact each. */
    const erasedOnes = async (contacts: number[]) => {
      const users: number[] = [];
      for (const contact of contacts) {
        const { user } = await person(`erased${contact}@example.org`, 'Eve');
        await pool.query('insert into core_partnerusermap (user_id, partner_contact_id) values ($1, $2)', [user, contact]);
        stub.contacts.set(String(contact), { id: String(contact), external_ref: '', email: `erased${contact}@example.org` });
        await erase(user);
        users.push(user);
      }
      return users;
    };
    const tell = async () => {
      const { deps, crm, pace } = parts();
      return endErased({ deps, partner: crm, pace });
    };
    const ended = () => [...stub.contacts.values()].map(({ ended: how }) => how);
    const left = async () =>
      (
        await pool.query(
          'select (select count(*)::int from partner_intent) as intents, array(select user_id from core_partnerusermap) as mapped',
        )
      ).rows[0];
    beforeEach(() => pool.query('truncate core_partnerusermap, partner_intent'));

    it('is told where they were merged into another, who has no contact then', async () => {
      const users = await erasedOnes([11, 12]);
      const { user: primary } = await person('primary@example.org', 'Pia');
      await merge(pool, primary, users);
      equal(await tell(), null);
      deepEqual([ended(), await left()], [['erased', 'erased'], { intents: 0, mapped: [] }]);
    });

    it('is told where the other has a contact, which stays', async () => {
      const users = await erasedOnes([21]);
      const { user: primary } = await person('other@example.org', 'Pia');
      await pool.query('insert into core_partnerusermap (user_id, partner_contact_id) values ($1, 22)', [primary]);
      stub.contacts.set('22', { id: '22', external_ref: '', email: 'other@example.org' });
      await merge(pool, primary, users);
      equal(await tell(), null);
      deepEqual([ended(), await left()], [['erased', undefined], { intents: 0, mapped: [primary] }]);
    });

    for (const [how, go] of [
      [
        'deleted',
        async (user: number) =>
          inOneTransaction(pool, (sql) => removeBelongings(sql, user).then(() => sql('delete from core_user where id = $1', [user]))),
      ],
      ['merged', async (user: number) => merge(pool, (await person('living@example.org', 'Liv')).user, [user])],
    ] as const)
      it(`is told of a contact that was just being made as they were ${how}`, async () => {
        const { user } = await person(`${how}@example.org`, 'Moe');
        stub.fault = async ({ method, path }) => {
          if (method === 'POST' && path === '/contacts') await go(user);
          return null;
        };
        const { deps, crm, pace } = parts();
        equal(await integrateOne({ deps, partner: crm, pace }, PARTNER_SOURCES[0]!, user), 'skipped');
        stub.fault = () => null;
        equal(await tell(), null);
        deepEqual([ended(), await left()], [['gone'], { intents: 0, mapped: [] }]);
      });

    it('is told nothing of a contact that became another’s, too, while it was told of one before', async () => {
      await erasedOnes([41, 42]);
      const { user } = await person('shares@example.org', 'Sha');
      stub.fault = async ({ path }) => {
        if (path === '/contacts/41/end')
          await pool.query('insert into core_partnerusermap (user_id, partner_contact_id) values ($1, 42)', [user]);
        return null;
      };
      equal(await tell(), null);
      deepEqual([ended(), await left()], [['erased', undefined], { intents: 0, mapped: [user] }]);
    });

    it('is told where they were merged while it was told of one before, and a record had been begun for them, too', async () => {
      const [one, two] = await erasedOnes([51, 52]);
      await pool.query(`insert into partner_intent (kind, local_id, contact) values ('user', $1, 53), ('user', $2, null)`, [one, two]);
      const { user: primary } = await person('takes@example.org', 'Tia');
      stub.contacts.set('53', { id: '53', external_ref: '', email: 'former@example.org' });
      let merged = false;
      stub.fault = async ({ path }) => {
        if (path === '/contacts/53/end' && !merged) {
          merged = true;
          await merge(pool, primary, [two!]);
        }
        return path === '/contacts/52/end' && !merged ? { kind: 'status', status: 500 } : null;
      };
      equal(await tell(), null);
      deepEqual([merged, ended(), await left()], [true, ['erased', 'erased', 'erased'], { intents: 0, mapped: [] }]);
    });

    it('is told of a contact that is just being made as they are erased once that is over', async () => {
      const { user } = await person('making@example.org', 'Mae');
      let told: unknown;
      stub.fault = async ({ method, path }) => {
        if (method !== 'POST' || path !== '/contacts') return null;
        await erase(user);
        // Another run of the integration, the one before having been given up.
        told ??= await tell();
        return { kind: 'lost' };
      };
      const { deps, crm, pace } = parts();
      await rejects(integrateOne({ deps, partner: crm, pace }, PARTNER_SOURCES[0]!, user));
      stub.fault = () => null;
      deepEqual([told, (await left()).intents], [null, 1]);
      equal(await tell(), null);
      deepEqual([ended(), await left()], [['erased'], { intents: 0, mapped: [] }]);
    });

    it('is told of a contact that was made while the deletion of its user was about to be committed', async () => {
      const { user } = await person('going@example.org', 'Moe');
      const client = await pool.connect();
      stub.fault = async ({ method, path }) => {
        if (method === 'POST' && path === '/contacts') {
          await client.query('begin');
          await removeBelongings(sqlOn(client), user);
          await client.query('delete from core_user where id = $1', [user]);
        }
        return null;
      };
      const { deps, crm, pace } = parts();
      const trying = integrateOne({ deps, partner: crm, pace }, PARTNER_SOURCES[0]!, user);
      await untilWaiting(pool, 1, trying);
      await client.query('commit');
      client.release();
      equal(await trying, 'skipped');
      stub.fault = () => null;
      equal(await tell(), null);
      deepEqual([ended(), await left()], [['gone'], { intents: 0, mapped: [] }]);
    });

    it('is told where they were deleted, also of a contact whose making was not heard of', async () => {
      const [user] = await erasedOnes([31]);
      await pool.query(`insert into partner_intent (kind, local_id, born) values ('user', $1, to_timestamp(60))`, [user]);
      stub.contacts.set('32', { id: '32', external_ref: `campaign-user-${user}-60000-0`, email: 'made@example.org' });
      await inOneTransaction(pool, async (sql) => {
        await removeBelongings(sql, user!);
        await sql('delete from core_user where id = $1', [user]);
      });
      equal(await tell(), null);
      deepEqual([ended(), await left()], [['erased', 'erased'], { intents: 0, mapped: [] }]);
    });
  });
});
