import { deepEqual, equal, match } from 'node:assert/strict';
import { readEnv } from '../../config/env.ts';
import { lookAtDatabase } from '../../core/health/database.ts';
import { newConnection } from '../../db/driver.ts';
import { settleLogin } from '../../db/own-login.ts';
import { createDatabase } from '../support/database.ts';

describe('the login of a database', () => {
  /** Two logins that act as one role, which owns all, as those are that a vault makes and takes back. @returns their addresses */
  async function turns(role: string, setting: string): Promise<[string, string]> {
    const url = new URL(await createDatabase());
    const admin = newConnection(Object.assign(new URL(url), { username: 'postgres' }).href);
    await admin.connect();
    await admin.query(`create role ${role} in role campaign`);
    for (const n of [1, 2]) {
      await admin.query(`create role ${role}_${n} login password 'x' in role ${role}`);
      await admin.query(`alter role ${role}_${n} set role ${role}`);
    }
    await admin.query(`alter database ${url.pathname.slice(1)} set ${setting}`);
    await admin.end();
    return [1, 2].map((n) => Object.assign(new URL(url), { username: `${role}_${n}`, password: 'x' }).href) as [string, string];
  }

  it('is told what statements take for granted, also where it acts as another role', async () => {
    const [url] = await turns('owner_of_dates', `datestyle = 'German'`);
    deepEqual(await settleLogin(url), ['datestyle']);
    deepEqual(await settleLogin(url), []);
  });

  it('is named by doctor where it is another than the one that was told', async () => {
    const [told, other] = await turns('owner_of_isolation', `default_transaction_isolation = 'serializable'`);
    await settleLogin(told);
    const found = async (url: string) => (await lookAtDatabase(url, readEnv({}))).find(({ says }) => /isolation/.test(says));
    equal(await found(told), undefined);
    const { state, says, todo } = (await found(other))!;
    equal(state, 'wrong');
    match(`${says}; ${todo}`, /its login does not have default_transaction_isolation = 'read committed'.*; npm run migrate/);
  });
});
