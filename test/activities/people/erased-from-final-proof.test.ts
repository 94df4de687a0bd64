import { deepEqual, equal, notEqual } from 'node:assert/strict';
import type pg from 'pg';
import { readEnv } from '../../../config/env.ts';
import { sendNotice } from '../../../core/mailings/notices/send-notice.ts';
import { createPool } from '../../../db/pool.ts';
import { createDatabase } from '../../support/database.ts';
import { erase } from '../../support/erasing.ts';
import { queueMailing, ScriptedRelay } from '../../support/sending.ts';

describe('a final proof that is made while somebody is erased', () => {
  let pool: pg.Pool;
  let mailingId: number;
  let noticeId: number;
  const id = async (text: string, values: unknown[] = []): Promise<number> => (await pool.query(text, values)).rows[0].id;
  before(async () => {
    pool = createPool(await createDatabase(), 5);
  });
  after(() => pool.end());
  beforeEach(async () => {
    await pool.query('delete from core_user');
    mailingId = await queueMailing(pool, 3);
    const queuer = await id(`insert into auth_user (username, password, is_superuser) values ('q' || $1::text, '', true) returning id`, [
      mailingId,
    ]);
    const reviewer = await id(`insert into core_user (email) values ('ann@example.org') returning id`);
    await pool.query(`update core_mailing set html = '<p>Dear {{ user.first_name }}</p>', queued_by_id = $2 where id = $1`, [
      mailingId,
      queuer,
    ]);
    noticeId = await id(`insert into core_mailingnotice (mailing_id, kind, reviewer_id) values ($1, 'final_proof', $2) returning id`, [
      mailingId,
      reviewer,
    ]);
  });

  /** Sends it, while those of whom the mail is made are erased right after they were read, `times` times. */
  async function send(times: number) {
    const relay = new ScriptedRelay(1);
    const shown: string[] = [];
    relay.answer = ({ message }) => {
      shown.push(/Dear (\w*)/.exec(message.replace(/=\r?\n/g, ''))![1]!);
      return { kind: 'accepted', reply: '250' };
    };
    let erased = 0;
    const eraser = new Proxy(pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target);
        return async (text: string, values: unknown[]) => {
          const result = await target.query(text, values);
          if (/in_order/.test(text) && erased < times) {
            erased++;
            await erase(pool, result.rows[0].user_id);
          }
          return result;
        };
      },
    });
    const deps = { pool: eraser, env: readEnv({}), relay, log: { ...console, warn: () => {} } };
    const error = await sendNotice(deps as never, noticeId).catch((failed: Error) => failed);
    const { rows } = await pool.query('select status from core_mailingnotice where id = $1', [noticeId]);
    return { shown, erased, status: rows[0].status as string, error };
  }

  it('shows nobody who was, and goes out', async () => {
    const { shown, erased, status } = await send(1);
    equal(erased, 1);
    equal(status, 'sent');
    // Of who was erased there is a row without a name.
    const { rows } = await pool.query('select first_name from core_user');
    const there = rows.map(({ first_name }) => first_name);
    deepEqual([shown.length, shown.filter((name) => !there.includes(name))], [1, []]);
  });

  it('is made for no reviewer who was: what they are named by since has no address', async () => {
    const { rows } = await pool.query('select reviewer_id as id from core_mailingnotice where id = $1', [noticeId]);
    await erase(pool, rows[0].id);
    // Whoever names them as one after that.
    await pool.query(`update core_mailingnotice set reviewer_id = $2, status = 'pending' where id = $1`, [noticeId, rows[0].id]);
    const { shown, status } = await send(0);
    deepEqual([shown, status], [[], 'skipped']);
  });

  it('is tried again later where that happens each time', async () => {
    const { shown, status, error } = await send(100);
    deepEqual([shown, status], [[], 'pending']);
    notEqual(error, undefined);
    equal((await send(0)).status, 'sent');
  });
});
