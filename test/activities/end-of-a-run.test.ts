import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type pg from 'pg';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createSendActivities } from '../../activities/sending/activities.ts';
import { readEnv } from '../../config/env.ts';
import type { SendOutcome } from '../../core/sending/finish-send.ts';
import { Committed, LostCommitsError } from '../../core/sending/lost-commits.ts';
import { runSlice } from '../../core/sending/slice.ts';
import { createPool } from '../../db/pool.ts';
import { createDatabase } from '../support/database.ts';
import { inActivity } from '../support/in-activity.ts';
import { ledgerStates, queueMailing, ScriptedRelay, seedMailing, sliceSetup } from '../support/sending.ts';

const LOST = [new LostCommitsError().message];

describe('the end of a run', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = createPool(await createDatabase(), 10);
  });
  after(() => pool.end());

  const finishing = (mailingId: number, outcome: SendOutcome, reasons: string[] = []) => {
    const { finishSend } = inActivity(createSendActivities({ pool, env: readEnv({}) } as ActivityDeps));
    return finishSend({ mailingId, outcome, reasons });
  };

  /** Tried again as the workflow service does. */
  async function finish(mailingId: number, outcome: SendOutcome, reasons: string[] = []): Promise<void> {
    for (;;) {
      try {
        await finishing(mailingId, outcome, reasons);
        return;
      } catch (error) {
        if (!(error instanceof ApplicationFailure && error.type === 'StillHeld')) throw error;
        await sleep(200);
      }
    }
  }

  const recorded = async (id: number) =>
    (await pool.query('select status, coalesce(errors, $2::jsonb) as errors, stop_requested from core_mailing where id = $1', [id, '[]']))
      .rows[0];

  const slowly = (relay: ScriptedRelay) => {
    relay.answer = async () => {
      await sleep(20);
      return { kind: 'accepted', reply: '250' };
    };
    return relay;
  };

  it('ends the slice of a worker that hears nothing of it, and is told as it was', async () => {
    for (const outcome of ['died', 'stopped'] as const) {
      const id = await seedMailing(pool, 2000, { shardSize: 50 });
      const relay = slowly(new ScriptedRelay(2));
      const slice = runSlice(sliceSetup(pool, id, relay, { seconds: 30 }));
      while (relay.written.length < 10) await sleep(10);
      const since = performance.now();
      const reasons = outcome === 'died' ? ['the relay will not have this mail'] : [];
      await finish(id, outcome, reasons);
      // Half of what the slice has left.
      ok(performance.now() - since < 15_000, `${performance.now() - since} ms`);
      equal((await slice).next, 'stop');
      deepEqual(await recorded(id), { status: outcome, errors: reasons, stop_requested: false });
      const { length } = relay.written;
      deepEqual(await ledgerStates(pool, id), { accepted: length, pending: 2000 - length });
    }
  });

  it('leaves a later run of the mailing alone', async () => {
    const id = await queueMailing(pool, 5);
    const deps = { pool, sendPool: pool, env: readEnv({ SEND_LANES: '1' }), temporal: {}, log: console } as unknown as ActivityDeps;
    const { openSend, beginSending, finishSend } = inActivity(createSendActivities(deps));
    const slice = () => runSlice(sliceSetup(pool, id, new ScriptedRelay(2)));
    const queue = () => pool.query(`update core_mailing set status = 'queued', queued_at = clock_timestamp() where id = $1`, [id]);
    await queue();
    const { queuedAt } = await openSend(id);
    await beginSending(id, queuedAt!);
    await pool.query('update send_run set ended = true, lost_commits = true where mailing_id = $1', [id]);
    equal((await slice()).next, 'stop');
    await queue();
    await beginSending(id, (await openSend(id)).queuedAt!);
    await finishSend({ mailingId: id, outcome: 'stopped', reasons: [], queuedAt: queuedAt! });
    equal((await slice()).next, 'finished');
    await finish(id, 'completed');
    equal((await recorded(id)).status, 'completed');
  });

  it('comes as soon as one worker misses commits, for those, too, who miss none; whatever ends first, it died of that', async () => {
    const id = await seedMailing(pool, 2000, { shardSize: 50 });
    const relay = slowly(new ScriptedRelay(2));
    const knowsOfNone = runSlice(sliceSetup(pool, id, relay, { seconds: 30 }));
    while (relay.written.length < 10) await sleep(10);
    const committed = new Committed().of(id, null);
    committed.note({ shard: 30, fence: 1 }, 7);
    const other = new ScriptedRelay(2);
    await rejects(runSlice(sliceSetup(pool, id, other, { seconds: 30, committed })), LostCommitsError);
    deepEqual(other.written, []);
    equal((await knowsOfNone).next, 'stop');
    await rejects(finish(id, 'stopped'), { type: 'LostCommits', nonRetryable: true });
    deepEqual(await recorded(id), { status: 'died', errors: LOST, stop_requested: false });
    // The run ends once more, by that error.
    await finish(id, 'died', LOST);
    deepEqual(await recorded(id), { status: 'died', errors: LOST, stop_requested: false });
  });

  it('is no completion over people who wait: a standby was promoted that lacks the last commits', async () => {
    const id = await seedMailing(pool, 100, { shardSize: 50 });
    await rejects(finish(id, 'completed'), { type: 'LostCommits', nonRetryable: true });
    deepEqual(await recorded(id), { status: 'died', errors: LOST, stop_requested: false });
    // Its answer was lost with its worker: the run is told the same once more.
    await rejects(finish(id, 'completed'), { type: 'LostCommits', nonRetryable: true });
    await finish(id, 'died', LOST);
    deepEqual(await recorded(id), { status: 'died', errors: LOST, stop_requested: false });
  });

  it('nor over a mailing of which the database does not know that it began', async () => {
    const id = await queueMailing(pool, 5);
    await rejects(finish(id, 'completed'), { type: 'LostCommits', nonRetryable: true });
    deepEqual(await recorded(id), { status: 'died', errors: LOST, stop_requested: false });
  });
});
