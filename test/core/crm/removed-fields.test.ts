import { deepEqual, equal } from 'node:assert/strict';
import { readEnv } from '../../../config/env.ts';
import { type Contact, type Crm, CrmAway } from '../../../core/crm/crm.ts';
import { type SyncParts, syncMapping } from '../../../core/crm/sync-mapping.ts';
import type { Pool } from '../../../db/driver.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';

describe('a custom field that is removed', () => {
  let pool: Pool;
  /** Of one contact, as the CRM has it. */
  let there: Contact['fields'];
  let known: string | null = null;
  let away = false;
  let wrote = true;
  const env = readEnv({ CRM_USER_FIELDS: 'employer, shirt' });

  before(async () => {
    pool = createPool(await createDatabase(), 3);
  });
  after(() => pool.end());
  beforeEach(async () => {
    [there, known, away, wrote] = [{ shirt: 'theirs' }, null, false, true];
    await pool.query('truncate core_crmmap; delete from core_user');
    await pool.query(`insert into core_user (id, email) values (1, 'ada@example.org')`);
    await pool.query(`insert into core_crmmap (id, user_id) values (1, 1)`);
  });

  const write = ({ fields }: Contact) => {
    if (wrote)
      for (const [name, value] of Object.entries(fields)) {
        if (value === null) delete there[name];
        else there[name] = value;
      }
    if (away) throw new CrmAway('no answer');
  };
  const crm = {
    findByRef: async () => null,
    findByEmail: async () => known,
    updateContact: async (_id: string, contact: Contact) => {
      write(contact);
      return 'updated' as const;
    },
    createContact: async (contact: Contact) => {
      there = {};
      write(contact);
      return 'c1';
    },
  } as unknown as Crm;
  const log = { info() {}, warn() {}, error() {} };
  const parts = { crm, pace: { wait: async () => {}, hold: async () => {} } };
  const sync = async (): Promise<string> => {
    await pool.query('update core_crmmap set wanted = wanted + 1');
    return (await syncMapping({ deps: { pool, env, log }, ...parts } as unknown as SyncParts, 1)).kind;
  };
  const field = (name: string, value: string) =>
    pool.query('insert into core_userfield (parent_id, name, value) values (1, $1, $2)', [name, value]);
  const remove = (name: string) => pool.query('delete from core_userfield where name = $1', [name]);

  it('is emptied at the CRM, and asked for no more then', async () => {
    await field('employer', 'Engines');
    equal(await sync(), 'synced');
    deepEqual(there, { employer: 'Engines' });
    await remove('employer');
    equal(await sync(), 'synced');
    deepEqual(there, {});
    there['employer'] = 'written there since';
    equal(await sync(), 'synced');
    deepEqual(there, { employer: 'written there since' });
  });

  it('is emptied also where the setting did not name it for a while', async () => {
    await field('employer', 'Engines');
    await field('shirt', 'L');
    await sync();
    Object.assign(env, { CRM_USER_FIELDS: 'shirt' });
    try {
      equal(await sync(), 'synced');
      await remove('employer');
      equal(await sync(), 'synced');
      deepEqual(there, { employer: 'Engines', shirt: 'L' });
    } finally {
      Object.assign(env, { CRM_USER_FIELDS: 'employer, shirt' });
    }
    equal(await sync(), 'synced');
    deepEqual(there, { shirt: 'L' });
  });

  it('is that alone: what the contact had in a field that was never sent stays', async () => {
    known = 'c1';
    await field('employer', 'Engines');
    await sync();
    await remove('employer');
    await sync();
    deepEqual(there, { shirt: 'theirs' });
  });

  it('is emptied also where the answer to its sending was lost, and it is removed before the next try', async () => {
    await sync();
    away = true;
    await field('employer', 'Engines');
    equal(await sync(), 'later');
    deepEqual(there, { employer: 'Engines' });
    wrote = false;
    await remove('employer');
    equal(await sync(), 'later');
    [away, wrote] = [false, true];
    equal(await sync(), 'synced');
    deepEqual(there, {});
  });
});
