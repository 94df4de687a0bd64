import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { PAGE_LIFETIME_MS } from '../../core/sending/audience.ts';
import { runSlice } from '../../core/sending/slice.ts';
import { createPool } from '../../db/pool.ts';
import { type CompiledMailing, RenderError } from '../../mail/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, plainMail, ScriptedRelay, seedMailing, sliceSetup } from '../support/sending.ts';

class PressedRelay extends ScriptedRelay {
  readonly isPressed = true;
}

const PEOPLE = 200;

describe('mails rendered while the database commits', () => {
  let pool: pg.Pool;
  let relay: PressedRelay;
  /** Whom mails were rendered for, in order. */
  let rendered: string[];
  let mail: CompiledMailing;

  before(async () => {
    pool = createPool(await createDatabase(), 10);
  });
  after(() => pool.end());
  beforeEach(() => {
    relay = new PressedRelay();
    rendered = [];
    mail = {
      ...plainMail,
      render: (recipient) => {
        rendered.push(recipient.email);
        if (recipient.email === 'person50@example.org') throw new RenderError('first_name is missing');
        return plainMail.render(recipient);
      },
    };
  });

  it('are rendered once each, go to whom they are for, and whoever has none is skipped', async () => {
    const mailing = await seedMailing(pool, PEOPLE);
    let leading = 0;
    relay.answer = () => {
      leading = Math.max(leading, new Set(rendered).size - relay.written.length);
      return { kind: 'accepted', reply: '250 ok' };
    };
    const result = await runSlice(sliceSetup(pool, mailing, relay, { mail }));
    deepEqual([result.next, result.accepted, result.skipped], ['finished', PEOPLE - 1, 1]);
    deepEqual(await ledgerStates(pool, mailing), { accepted: PEOPLE - 1, skipped: 1 });
    equal(new Set(relay.written).size, PEOPLE - 1);
    const twice = rendered.filter((email, at) => rendered.indexOf(email) < at);
    deepEqual([...new Set(twice)], ['person50@example.org'], 'only what failed is tried when it is their turn, too');
    ok(leading > 2 * relay.connections, `${leading} were rendered and not answered: more than may be on the wire`);
  });

  it('are not sent to those who left while they lay there', async () => {
    const mailing = await seedMailing(pool, PEOPLE);
    const other = await pool.connect();
    // The relay waits for it with all that may be on the wire: the turn that comes then claims as many again, and as many more are rendered behind them.
    const locked = Promise.withResolvers<void>();
    let held = 0;
    relay.answer = async () => {
      if (relay.written.length >= 40) {
        held++;
        await locked.promise;
      }
      return { kind: 'accepted', reply: '250 ok' };
    };
    const sending = runSlice(sliceSetup(pool, mailing, relay, { mail }));
    while (held < 2 * relay.connections) await sleep(1);
    await other.query('begin');
    await other.query('select from send_shard where mailing_id = $1 for update', [mailing]);
    locked.resolve();
    const notSent = () => rendered.filter((email) => !relay.written.includes(email) && email !== 'person50@example.org');
    let waiting: string[] = [];
    // Until no more are rendered: those who are on the wire, and those behind them.
    do {
      waiting = notSent();
      await sleep(200);
    } while (waiting.length <= 2 * relay.connections || notSent().length !== waiting.length);
    await pool.query(`update core_user set subscription_status = 'unsubscribed' where email = any($1)`, [waiting]);
    await sleep(PAGE_LIFETIME_MS);
    await other.query('commit');
    other.release();
    const { next, skipped } = await sending;
    equal(next, 'finished');
    // The turn that was under way has claimed its people already; behind them lay those of the next one.
    const claimed = waiting.filter((email) => relay.written.includes(email));
    ok(claimed.length <= 2 * relay.connections && claimed.length < waiting.length, `${claimed} of ${waiting}`);
    deepEqual(claimed, waiting.slice(0, claimed.length));
    equal(skipped, waiting.length - claimed.length + 1, 'and one whose mail cannot be made');
    await pool.query(`update core_user set subscription_status = 'subscribed'`);
  });
});
