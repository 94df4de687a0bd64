import { deepEqual, ok } from 'node:assert/strict';
import type pg from 'pg';
import { audienceQuery } from '../../../core/sending/audience.ts';
import { runSlice } from '../../../core/sending/slice.ts';
import { createPool } from '../../../db/pool.ts';
import { LEDGER_STATE } from '../../../domain/words.ts';
import type { CompiledMailing, Recipient } from '../../../mail/contracts.ts';
import { createDatabase } from '../../support/database.ts';
import { become, ledgerStates, plainMail, ScriptedRelay, seedMailing, sliceSetup } from '../../support/sending.ts';

const MB = 1_000_000;

describe('recipients of whom much is read', () => {
  let pool: pg.Pool;
  let mailing: number;
  /** Bytes of the largest answer of the database. */
  let largest: number;
  const PEOPLE = 200;

  before(async () => {
    pool = createPool(await createDatabase(), 5);
    await seedMailing(pool, PEOPLE);
    await pool.query(
      `insert into core_userfield (parent_id, name, value) select u.id, 'f' || n, repeat('a', 50000) from core_user u, generate_series(1, 4) n`,
    );
    await pool.query(`insert into core_userfield (parent_id, name, value) select id, 'shirt', 'L' from core_user`);
    await pool.query(`insert into core_mergefile (name, filename, lookup_column, columns) values ('f', 'f', 'user_id', '["color"]')`);
    await pool.query(
      `insert into core_mergefilerow (mergefile_id, user_id, values)
       select f.id, u.id, jsonb_build_object('color', repeat('b', 200000)) from core_mergefile f, core_user u`,
    );
  });
  after(() => pool.end());

  const send = async (needs: Partial<CompiledMailing>, { named = false } = {}) => {
    mailing = await seedMailing(pool, PEOPLE);
    const everybody = Array.from({ length: PEOPLE }, (_, n) => ({ position: n + 1, state: LEDGER_STATE.pending }));
    if (named) await become(pool, mailing, everybody);
    largest = 0;
    const seen = new Map<string, Recipient>();
    const render = (recipient: Recipient) => {
      seen.set(recipient.email, recipient);
      return plainMail.render(recipient);
    };
    const mail = { ...plainMail, ...needs, render };
    const counted = new Proxy(pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target);
        return async (...given: Parameters<typeof pool.query>) => {
          const result = (await (target.query as (...all: unknown[]) => Promise<pg.QueryResult>)(...given)) as pg.QueryResult;
          largest = Math.max(largest, JSON.stringify(result.rows ?? []).length);
          return result;
        };
      },
    });
    const relay = new ScriptedRelay(20);
    const setup = sliceSetup(counted, mailing, relay, { mail, audience: audienceQuery(mail, false), seconds: 60 });
    await runSlice(setup);
    return { seen, written: relay.written };
  };

  it('are read a few at a time, and each of them once', async () => {
    const { seen, written } = await send({ needsFields: true });
    ok(largest < 10 * MB, `${largest} bytes at once`);
    deepEqual([seen.size, written.length, new Set(written).size], [PEOPLE, PEOPLE, PEOPLE]);
    ok([...seen.values()].every(({ fields }) => Object.keys(fields!).length === 5));
  });

  it('are read a few at a time, too, when the log names them', async () => {
    const { written } = await send({ needsFields: true }, { named: true });
    ok(largest < 10 * MB, `${largest} bytes at once`);
    deepEqual([written.length, new Set(written).size], [PEOPLE, PEOPLE]);
  });

  it('are read of by the names of the fields a mailing shows, as many at once as of others', async () => {
    const { seen } = await send({ needsFields: ['shirt', "it's", 'back\\slash'] });
    ok(largest < 1 * MB, `${largest} bytes at once`);
    ok([...seen.values()].every(({ fields }) => JSON.stringify(fields) === '{"shirt":"L"}'));
  });

  it('are read a few at a time by the rows of a merge file', async () => {
    const { rows } = await pool.query('select id from core_mergefile');
    const { seen } = await send({ mergefile: rows[0].id });
    ok(largest < 10 * MB, `${largest} bytes at once`);
    ok([...seen.values()].every(({ row }) => row!['color']!.length === 200_000));
  });

  it('are skipped with the reason where it is too much for one mail', async () => {
    await pool.query(
      `insert into core_userfield (parent_id, name, value)
       select id, 'long', repeat('c', 65000) from core_user, generate_series(1, 20) where email in ('person3@example.org', 'person4@example.org')`,
    );
    const { seen } = await send({ needsFields: ['long'] });
    deepEqual([seen.size, largest < MB], [PEOPLE - 2, true]);
    deepEqual(await ledgerStates(pool, mailing), { accepted: PEOPLE - 2, skipped: 2 });
    const { rows } = await pool.query('select distinct detail from send_record where mailing_id = $1 and state = 4', [mailing]);
    deepEqual(rows, [{ detail: 'custom fields or the row of the merge file are too long for a mail' }]);
  });
});
