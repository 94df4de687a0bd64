import { deepEqual, equal, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createPool } from '../../db/pool.ts';
import type { Child } from '../../embedded/child.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { type SmtpSink, startSmtpSink } from '../../embedded/smtp-sink.ts';
import { MESSAGE, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, queueMailing } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

const RATE = 200;

describe('restarting both workers, one after the other, in the middle of a send', () => {
  let place: TestNamespace;
  let pool: pg.Pool;
  let sink: SmtpSink;
  let startWorker: (n: number) => Promise<Child>;
  const taken = new Map<string, number>();

  before(async () => {
    place = await createNamespace();
    const url = await createDatabase();
    pool = createPool(url, 5);
    sink = await startSmtpSink({ onMail: ({ to: [address = ''] }) => taken.set(address, (taken.get(address) ?? 0) + 1) });
    const env = {
      ...process.env,
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      SMTP_URL: sink.url,
      SEND_SLOTS: '1',
      LOG_LEVEL: 'info',
    };
    const logFolder = join(dataFolder(), 'logs');
    startWorker = (n) => startWorkerProcess({ env, logFolder }, n);
  });
  after(async () => {
    await pool.end();
    await sink.close();
  });

  const holders = async () => (await pool.query('select from send_shard where held_until > now()')).rowCount;
  const until = async (what: string, come: () => Promise<boolean>) => {
    for (const end = Date.now() + 200_000; Date.now() < end; await sleep(20)) if (await come()) return;
    throw new Error(`${what} did not come about`);
  };

  it('lets the rate dip and nothing else', async () => {
    const people = RATE * 80;
    const id = await queueMailing(pool, people, { rate: RATE });
    const workers = [await startWorker(1), await startWorker(2)];
    const run = await place.client.workflow.start('sendMailing', {
      workflowId: workflowId.sendMailing(id),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ mailingId: id }],
    });
    await until('both sending', async () => (await holders()) === 2);
    const [before, began] = [taken.size, performance.now()];
    for (const n of [0, 1]) {
      await sleep(500);
      const worker = workers[n]!;
      const sent = taken.size;
      process.kill(worker.pid, 'SIGTERM');
      equal(await worker.exited, 'code 0');
      const states = await ledgerStates(pool, id);
      deepEqual([states['uncertain'] ?? 0, states['failed'] ?? 0], [0, 0]);
      workers[n] = await startWorker(n + 1);
      await until('the other one sending', async () => taken.size > sent);
      await until('both sending again', async () => (await holders()) === 2);
    }
    const seconds = (performance.now() - began) / 1000;
    const mails = taken.size - before;
    // One of two workers was away for most of the time; the other one took its share on. What was not used for half a second may be caught up.
    ok(mails > 0.5 * RATE * seconds && mails < RATE * (1.05 * seconds + 0.5) + 10, `${mails} mails in ${seconds} s`);
    await run.signal(MESSAGE.stop);
    equal(await run.result(), 'stopped');
    const { accepted, pending, ...others } = await ledgerStates(pool, id);
    deepEqual([accepted, (accepted ?? 0) + (pending ?? 0), others], [taken.size, people, {}]);
    ok([...taken.values()].every((times) => times === 1));
    await Promise.all(workers.map((worker) => worker.stop()));
  });
});
