import { deepEqual, equal, ok } from 'node:assert/strict';
import type pg from 'pg';
import type { ActivityDeps } from '../../activities/deps.ts';
import { type BegunSend, createSendActivities } from '../../activities/sending/activities.ts';
import { readEnv } from '../../config/env.ts';
import { edit } from '../../core/sending/edits.ts';
import { endPass } from '../../core/sending/end-pass.ts';
import { commitTurn, freshFence, reconcile, type Shard, settleAbandoned, takeShard } from '../../core/sending/shards.ts';
import { createPool } from '../../db/pool.ts';
import { sqlOn } from '../../db/sql.ts';
import { LEDGER_STATE } from '../../domain/words.ts';
import { createDatabase } from '../support/database.ts';
import { inActivity } from '../support/in-activity.ts';
import { ledgerStates, queueMailing, seedMailing } from '../support/sending.ts';
import { untilWaiting } from '../support/sessions.ts';

const { accepted } = LEDGER_STATE;
/** Long beside what a test takes on any machine. */
const LEASE_SECONDS = 200;

// TCP delivers late what a worker has given up long since: the database then carries it out as if it were of now.
describe('statements of a worker that arrive after it has given them up', () => {
  let pool: pg.Pool;
  let shard: Shard;
  let mailingId: number;

  before(async () => {
    pool = createPool(await createDatabase(), 5);
  });
  after(() => pool.end());
  beforeEach(async () => {
    mailingId = await seedMailing(pool, 10);
    shard = (await takeShard(pool, mailingId, LEASE_SECONDS))!;
  });

  const taken = (position: number) => [{ position, state: accepted, detail: null }];

  it('claim nobody once the shard has been reconciled', async () => {
    const before = { ...shard };
    const fresh = freshFence(shard.fence);
    deepEqual(await reconcile(pool, shard, [shard.fence], fresh, 10, []), { carriedOut: false, edits: [] });
    equal((await commitTurn(pool, before, 10, [], [1, 2])).held, false);
    deepEqual(await ledgerStates(pool, mailingId), { pending: 10 });
    deepEqual((await commitTurn(pool, { ...shard, fence: fresh }, 10, [], [1, 2])).claimed.sort(), [1, 2]);
  });

  it('are undone even if carried out while the shard is being reconciled', async () => {
    const late = await pool.connect();
    await late.query('begin');
    deepEqual((await commitTurn(late, { ...shard }, 10, [], [1, 2])).claimed.sort(), [1, 2]);
    const reconciled = reconcile(pool, shard, [shard.fence], freshFence(shard.fence), 10, [1, 2]);
    await untilWaiting(pool);
    await late.query('commit');
    late.release();
    deepEqual(await reconciled, { carriedOut: true, edits: [] });
    deepEqual(await ledgerStates(pool, mailingId), { pending: 10 });
  });

  it('leave nobody behind when a pass ends: whoever is still on the way without anybody answering for it is uncertain', async () => {
    await commitTurn(pool, shard, 10, [], [1, 2]);
    await commitTurn(pool, shard, 10, [1, 3, 4, 5, 6, 7, 8, 9, 10].flatMap(taken), []);
    await endPass(pool, shard, 0);
    deepEqual(await ledgerStates(pool, mailingId), { accepted: 9, uncertain: 1 });
    const { rows } = await pool.query('select accepted, uncertain, finished from send_shard where mailing_id = $1', [mailingId]);
    deepEqual(rows, [{ accepted: 9, uncertain: 1, finished: true }]);
  });

  it('claim nobody once the send has ended and what a dead worker left behind is settled', async () => {
    await commitTurn(pool, shard, LEASE_SECONDS, [], [1, 2, 3]);
    await commitTurn(pool, shard, LEASE_SECONDS, taken(1), []);
    const waitMs = await settleAbandoned(pool, mailingId);
    ok(waitMs > 800 * LEASE_SECONDS && waitMs <= 1000 * LEASE_SECONDS, `a lease that runs is left alone for ${waitMs} ms`);
    deepEqual(await ledgerStates(pool, mailingId), { accepted: 1, sending: 2, pending: 7 });
    await pool.query(`update send_shard set held_until = now() - interval '1 second' where mailing_id = $1`, [mailingId]);
    equal(await settleAbandoned(pool, mailingId), 0);
    equal((await commitTurn(pool, shard, 10, taken(2), [4])).held, false);
    deepEqual(await ledgerStates(pool, mailingId), { accepted: 1, uncertain: 2, pending: 7 });
    const { rows } = await pool.query('select accepted, uncertain, held_until from send_shard where mailing_id = $1', [mailingId]);
    deepEqual(rows, [{ accepted: 1, uncertain: 2, held_until: null }]);
    equal(await settleAbandoned(pool, mailingId), 0);
  });

  it('end no send that was queued again meanwhile', async () => {
    const { openSend, finishSend } = inActivity(createSendActivities({ pool, env: readEnv({}) } as ActivityDeps));
    const queue = () => pool.query(`update core_mailing set status = 'queued', queued_at = clock_timestamp() where id = $1`, [mailingId]);
    const status = async () => (await pool.query('select status from core_mailing where id = $1', [mailingId])).rows[0].status;
    await pool.query('update send_shard set held_until = null where mailing_id = $1', [mailingId]);
    await queue();
    const { queuedAt } = await openSend(mailingId);
    await queue();
    await finishSend({ mailingId, outcome: 'died', reasons: [], queuedAt: queuedAt! });
    equal(await status(), 'queued');
    await finishSend({ mailingId, outcome: 'died', reasons: [], queuedAt: (await openSend(mailingId)).queuedAt! });
    equal(await status(), 'died');
  });

  it('begin no send that was queued again meanwhile', async () => {
    const id = await queueMailing(pool, 5);
    const deps = { pool, sendPool: pool, env: readEnv({ SEND_LANES: '1' }), temporal: {}, log: console } as unknown as ActivityDeps;
    const { openSend, beginSending } = inActivity(createSendActivities(deps));
    const begin = (queuedAt: string): Promise<BegunSend> => beginSending(id, queuedAt);
    const queue = () => pool.query(`update core_mailing set status = 'queued', queued_at = clock_timestamp() where id = $1`, [id]);
    await queue();
    const { queuedAt } = await openSend(id);
    await queue();
    equal((await begin(queuedAt!)).queuedAgain, true);
    equal((await openSend(id)).stage, 'waiting');
    const { queuedAgain, pending } = await begin((await openSend(id)).queuedAt!);
    deepEqual([queuedAgain, pending, (await openSend(id)).stage], [false, 5, 'sending']);
  });

  it('put nobody back who is on the wire by now', async () => {
    const tries = [freshFence(shard.fence), freshFence(shard.fence)] as const;
    // The first try is not answered, the second is, and mails are begun.
    deepEqual(await reconcile(pool, shard, [shard.fence, tries[0]], tries[1], 10, []), { carriedOut: false, edits: [] });
    const ours = { ...shard, fence: tries[1] };
    await commitTurn(pool, ours, 10, [], [1, 2]);
    equal(await reconcile(pool, shard, [shard.fence], tries[0], 10, [1, 2]), null);
    deepEqual(await ledgerStates(pool, mailingId), { pending: 8, sending: 2 });
    // Nor whom a turn before had claimed.
    deepEqual(await reconcile(pool, ours, [tries[1]], freshFence(tries[1]), 10, [3, 4]), { carriedOut: false, edits: [] });
    deepEqual(await ledgerStates(pool, mailingId), { pending: 8, sending: 2 });
  });

  it('are counted once, whether a try that was not answered was carried out or not', async () => {
    await commitTurn(pool, shard, 10, [], [1, 2]);
    const tries = [freshFence(shard.fence), freshFence(shard.fence)] as const;
    await reconcile(pool, shard, [shard.fence], tries[0], 10, []);
    await reconcile(pool, shard, [shard.fence, tries[0]], tries[1], 10, []);
    const ours = { ...shard, fence: tries[1] };
    await commitTurn(pool, { ...ours }, 10, taken(1), []);
    // The answer was lost: told again it is not carried out, and it is found that it was.
    equal((await commitTurn(pool, { ...ours }, 10, taken(1), [])).changed, true);
    const last = freshFence(tries[1]);
    deepEqual(await reconcile(pool, ours, [tries[1]], last, 10, []), { carriedOut: true, edits: [] });
    ours.fence = last;
    // And where it was not, what others wrote meanwhile is not taken for it.
    const edits = [{ position: 9, state: LEDGER_STATE.skipped, detail: 'gone' }];
    await edit(sqlOn(pool), { mailing_id: mailingId, shard: shard.shard }, edits, { skipped: 1 });
    deepEqual(await reconcile(pool, ours, [last], freshFence(last), 10, [2, 9]), { carriedOut: false, edits });
    deepEqual(await ledgerStates(pool, mailingId), { accepted: 1, pending: 8, skipped: 1 });
    await commitTurn(
      pool,
      { ...ours, fence: (await pool.query('select fence from send_shard where mailing_id = $1', [mailingId])).rows[0].fence },
      10,
      taken(2),
      [],
    );
    const { rows } = await pool.query('select accepted from send_shard where mailing_id = $1', [mailingId]);
    equal(rows[0].accepted, 2);
  });

  it('do not give a shard back to whoever lost it', async () => {
    await pool.query(`update send_shard set held_until = now() - interval '1 second' where mailing_id = $1`, [mailingId]);
    const next = (await takeShard(pool, mailingId, 10))!;
    equal(await reconcile(pool, shard, [shard.fence], freshFence(shard.fence), 10, []), null);
    equal((await commitTurn(pool, next, 10, [], [1])).held, true);
  });
});
