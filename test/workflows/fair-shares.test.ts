import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createPool } from '../../db/pool.ts';
import { type SmtpSink, startSmtpSink } from '../../embedded/smtp-sink.ts';
import { MESSAGE, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, queueMailing } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

const HUGE = 40_000;

describe('mailings side by side', () => {
  let place: TestNamespace;
  let pool: pg.Pool;
  let sink: SmtpSink;

  before(async () => {
    place = await createNamespace();
    const url = await createDatabase();
    pool = createPool(url, 5);
    sink = await startSmtpSink({ keep: 1 });
    await runWorker(place, { DATABASE_URL: url, SMTP_URL: sink.url, SMTP_CONNECTIONS: '4', SEND_SHARD_SIZE: '2000' });
  });
  after(async () => {
    await sink?.close();
    await pool?.end();
  });

  const start = (mailingId: number) =>
    place.client.workflow.start('sendMailing', {
      workflowId: workflowId.sendMailing(mailingId),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ mailingId }],
    });
  const accepted = async (id: number) => (await ledgerStates(pool, id)).accepted ?? 0;
  /** Sends a proof, and resolves when it is out. */
  const proof = async (mailingId: number) => {
    const { rows } = await pool.query(
      `insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '["reviewer@example.org"]', 1) returning id`,
      [mailingId],
    );
    const run = await place.client.workflow.start('sendProofs', {
      workflowId: `proof-${mailingId}`,
      taskQueue: TASK_QUEUE.campaign,
      args: [{ mailingId, jobId: rows[0].id }],
    });
    await run.result();
    const sent = await pool.query('select sent, success from core_mailingproof where id = $1', [rows[0].id]);
    deepEqual(sent.rows[0], { sent: 1, success: true });
  };
  const until = async (what: () => Promise<boolean>) => {
    for (let tries = 0; tries < 4000; tries++) {
      if (await what()) return;
      await sleep(50);
    }
    throw new Error('it never came about');
  };

  it('get about the same; a small one begun meanwhile, and a proof, are soon done', async () => {
    const [a, b, small] = [await queueMailing(pool, HUGE), await queueMailing(pool, HUGE), await queueMailing(pool, 300)];
    const runs = await Promise.all([start(a), start(b)]);
    await until(async () => (await accepted(a)) > 500 && (await accepted(b)) > 500);
    const before = [await accepted(a), await accepted(b)] as const;
    await until(async () => (await accepted(a)) + (await accepted(b)) - before[0] - before[1] > HUGE / 2);
    const [fromA, fromB] = [(await accepted(a)) - before[0], (await accepted(b)) - before[1]];
    const share = fromA / (fromA + fromB);
    ok(share > 0.4 && share < 0.6, `${Math.round(100 * share)} % went to the first`);

    const left = async () => 2 * HUGE - (await accepted(a)) - (await accepted(b));
    const leftBefore = await left();
    await proof(small);
    const third = await start(small);
    equal(await third.result(), 'completed');
    deepEqual(await ledgerStates(pool, small), { accepted: 300 });
    // Not after the others: they had most of their way before them still.
    ok((await left()) > leftBefore / 3, `${await left()} of ${leftBefore} were left`);
    await Promise.all(runs.map((run) => run.signal(MESSAGE.stop)));
    for (const run of runs) ok(['stopped', 'completed'].includes((await run.result()) as string));
  });
});
