import { deepEqual, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type pg from 'pg';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createProofActivities } from '../../activities/proofs/activities.ts';
import { readEnv } from '../../config/env.ts';
import { beginProofs, countProof, proofsWait, readProofs } from '../../core/mailings/proof-job.ts';
import { sendProofs } from '../../core/mailings/send-proofs.ts';
import { createPool } from '../../db/pool.ts';
import { sqlOn } from '../../db/sql.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { queueMailing, ScriptedRelay } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

/** Asks for so many proofs of a mailing of its own. */
async function startProofs({ client }: TestNamespace, pool: pg.Pool, proofs: number) {
  const mailingId = await queueMailing(pool, proofs);
  const { rows } = await pool.query<{ id: number }>(
    `insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '["reviewer@example.org"]', $2) returning id`,
    [mailingId, proofs],
  );
  const jobId = rows[0]!.id;
  const start = { workflowId: workflowId.sendProofs(mailingId, jobId), taskQueue: TASK_QUEUE.campaign, args: [{ mailingId, jobId }] };
  return { mailingId, jobId, start, run: await client.workflow.start('sendProofs', start) };
}

describe('a request for proofs', () => {
  it('is recorded as failed when its run is cancelled, and sends nothing more', async () => {
    const place = await createNamespace();
    const url = await createDatabase();
    const pool = createPool(url, 3);
    const relay = new ScriptedRelay(2);
    const held = Promise.withResolvers<void>();
    let begun = 0;
    let calledOff: AbortSignal | undefined;
    relay.answer = async (_mail, nth) => {
      begun = nth;
      calledOff = Context.current().cancellationSignal;
      await held.promise;
      return { kind: 'accepted', reply: '250' };
    };
    const worker = await runWorker(place, { DATABASE_URL: url }, { relay });
    const { jobId, run } = await startProofs(place, pool, 5);
    while (begun < 1) await sleep(20);
    await run.cancel();
    await run.result().catch(() => {});
    const job = async () => (await pool.query('select finished, success, errors from core_mailingproof where id = $1', [jobId])).rows[0];
    const failed = { finished: true, success: false, errors: ['the proofs were cancelled'] };
    deepEqual(await job(), failed);
    while (!calledOff?.aborted) await sleep(20);
    held.resolve();
    await sleep(1000);
    deepEqual([relay.written.length <= 2, await job()], [true, failed]);
    await worker.stop();
    await pool.end();
  });

  it('is counted by one attempt alone: one that was given up ends at its next proof, and sets nothing back', async () => {
    const pool = createPool(await createDatabase(), 1);
    const { rows } = await pool.query<{ id: number }>(
      `insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '["reviewer@example.org"]', 5) returning id`,
      [await queueMailing(pool, 5)],
    );
    const { id } = rows[0]!;
    await countProof(sqlOn(pool), id, 1, null);
    await countProof(sqlOn(pool), id, 2, 'proof 2 for reviewer 1: 550');
    await rejects(countProof(sqlOn(pool), id, 2, null), /another attempt/);
    await countProof(sqlOn(pool), id, 3, null);
    const { rows: kept } = await pool.query('select sent, errors from core_mailingproof where id = $1', [id]);
    deepEqual(kept, [{ sent: 2, errors: ['proof 2 for reviewer 1: 550'] }]);
    await pool.end();
  });

  it('is not ended by an attempt that was given up, and found nobody in the set, or a report that could not be read, when another one has sent some', async () => {
    const pool = createPool(await createDatabase(), 3);
    const mailingId = await queueMailing(pool, 3);
    const { rows } = await pool.query<{ id: number }>(
      `insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '["reviewer@example.org"]', 3) returning id`,
      [mailingId],
    );
    const { id } = rows[0]!;
    const relay = new ScriptedRelay(1);
    relay.answer = (_mail, nth) => (nth === 2 ? { kind: 'unsent', reply: '421 later', relay: 'busy' } : { kind: 'accepted', reply: '250' });
    const sendBy = (by: pg.Pool) => sendProofs({ pool: by, env: readEnv({}), relay, log: console } as never, mailingId, id, async () => {});
    const query = async (text: string, values?: unknown[]) => {
      const answer = await pool.query(text, values);
      if (!text.includes('from in_order')) return answer;
      // As it was when it was asked; it hears of it late.
      await rejects(sendBy(pool), /not taking mail/);
      return { ...answer, rows: [] };
    };
    await rejects(sendBy(Object.create(pool, { query: { value: query } })), /another attempt/);
    deepEqual(await sendBy(pool), 3);
    const { finished, success, sent, errors } = (await readProofs(pool, mailingId, id))!;
    deepEqual([finished, success, sent, errors], [true, true, 3, []]);
    await pool.end();
  });

  it('is sent by one attempt alone: one that was given up, and lives on beside another, sends the proof it is at and no further one', async () => {
    const pool = createPool(await createDatabase(), 3);
    const mailingId = await queueMailing(pool, 3);
    const { rows } = await pool.query<{ id: number }>(
      `insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '["reviewer@example.org"]', 3) returning id`,
      [mailingId],
    );
    const sendOver = (relay: ScriptedRelay) =>
      sendProofs({ pool, env: readEnv({}), relay, log: console } as never, mailingId, rows[0]!.id, async () => {});
    let others = 0;
    /** Lets the other attempt, which holds the same proof, go on. */
    let goOn: () => Promise<unknown> = async () => {};
    const relay = new ScriptedRelay(1);
    relay.answer = async () => {
      await goOn();
      const [reached, held, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), new ScriptedRelay(1)];
      other.answer = async () => {
        others++;
        reached.resolve();
        await held.promise;
        return { kind: 'accepted', reply: '250' };
      };
      const ended = sendOver(other).catch((error: Error) => error.message);
      goOn = () => {
        held.resolve();
        return ended;
      };
      await reached.promise;
      return { kind: 'accepted', reply: '250' };
    };
    await rejects(sendOver(relay), /another attempt/);
    deepEqual([relay.written.length, others, await goOn()], [1, 1, 'another attempt is at these proofs']);
    relay.answer = () => ({ kind: 'accepted', reply: '250' });
    deepEqual([await sendOver(relay), relay.written.length], [3, 3]);
    await pool.end();
  });

  it('waits for no place any more once it has begun, and for the relay until it takes a mail', async () => {
    const pool = createPool(await createDatabase(), 1);
    const mailingId = await queueMailing(pool, 5);
    const { rows } = await pool.query<{ id: number }>(
      `insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '["reviewer@example.org"]', 5) returning id`,
      [mailingId],
    );
    const reasons: unknown[] = [];
    for (const reason of ['a place', 'the relay']) {
      await proofsWait(sqlOn(pool), rows[0]!.id, reason);
      await beginProofs(pool, rows[0]!.id);
      reasons.push((await readProofs(pool, mailingId, rows[0]!.id))?.pause);
    }
    deepEqual(reasons, [null, { reason: 'the relay' }]);
    await pool.end();
  });

  it('says, when it is given up, what it waited for and which were refused before', async () => {
    const pool = createPool(await createDatabase(), 1);
    const mailingId = await queueMailing(pool, 5);
    const { rows } = await pool.query<{ id: number }>(
      `insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '["reviewer@example.org"]', 5) returning id`,
      [mailingId],
    );
    const { id } = rows[0]!;
    await countProof(sqlOn(pool), id, 1, null);
    await countProof(sqlOn(pool), id, 2, 'proof 2 for reviewer 1: 550');
    await proofsWait(sqlOn(pool), id, 'the relay is not taking mail: 421');
    const { failProofs } = createProofActivities({ pool } as unknown as ActivityDeps);
    await failProofs({ mailingId, jobId: id, errors: ['the proofs could not be sent'] });
    const { finished, success, sent, errors, pause } = (await readProofs(pool, mailingId, id))!;
    deepEqual([finished, success, sent, pause], [true, false, 1, null]);
    deepEqual(errors, ['proof 2 for reviewer 1: 550', 'the proofs could not be sent', 'the relay is not taking mail: 421']);
    await pool.end();
  });

  it('says why none is sent while the relay is away, naming nobody, and no more when it is back; how many were sent, when it is over already', async () => {
    const place = await createNamespace();
    const url = await createDatabase();
    const pool = createPool(url, 3);
    const relay = new ScriptedRelay(2);
    let away = true;
    relay.answer = async () =>
      away ? { kind: 'unsent', reply: '421 reviewer@example.org: come again', relay: 'down' } : { kind: 'accepted', reply: '250' };
    const worker = await runWorker(place, { DATABASE_URL: url }, { relay });
    const { mailingId, jobId, start, run } = await startProofs(place, pool, 2);
    let state = await readProofs(pool, mailingId, jobId);
    for (; state?.pause == null; state = await readProofs(pool, mailingId, jobId)) await sleep(50);
    deepEqual([state.finished, state.pause], [false, { reason: 'the relay is not taking mail: 421 …: come again' }]);
    away = false;
    await run.result();
    const { finished, success, pause } = (await readProofs(pool, mailingId, jobId))!;
    deepEqual([finished, success, pause], [true, true, null]);
    // As where its worker had died before it could answer, or an operator resets it.
    deepEqual([await place.client.workflow.execute('sendProofs', start), relay.written.length], [2, 2]);
    await worker.stop();
    await pool.end();
  });
});
