import { deepEqual, equal, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import type pg from 'pg';
import { createPool } from '../../db/pool.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { type SmtpSink, startSmtpSink } from '../../embedded/smtp-sink.ts';
import { MESSAGE, type SendProgress, searchable, TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { ledgerStates, queueMailing } from '../support/sending.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('a send on the real server', () => {
  let place: TestNamespace;
  let pool: pg.Pool;
  let sink: SmtpSink;
  let settings: Record<string, string>;

  before(async () => {
    place = await createNamespace();
    const url = await createDatabase();
    pool = createPool(url, 5);
    sink = await startSmtpSink({});
    settings = { DATABASE_URL: url, SMTP_URL: sink.url, SMTP_CONNECTIONS: '8' };
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
      typedSearchAttributes: searchable(mailingId, 'send'),
    });
  const until = async (what: () => Promise<boolean>) => {
    for (let tries = 0; tries < 3000; tries++) {
      if (await what()) return;
      await sleep(100);
    }
    throw new Error('it never came about');
  };
  const accepted = async (id: number) => (await ledgerStates(pool, id)).accepted ?? 0;

  it('is found by its mailing, says what it does, and uses few events', async () => {
    const worker = await runWorker(place, settings);
    const id = await queueMailing(pool, 500);
    const run = await start(id);
    equal(await run.result(), 'completed');
    const found: string[] = [];
    await until(async () => {
      for await (const each of place.client.workflow.list({ query: `MailingId = ${id} and JobKind = 'send'` })) found.push(each.workflowId);
      return found.length > 0;
    });
    deepEqual(found, [workflowId.sendMailing(id)]);
    const { historyLength } = await run.describe();
    ok(historyLength < 40, `${historyLength} events`);
    deepEqual(await ledgerStates(pool, id), { accepted: 500 });
    await worker.stop();
  });

  it('leads links and the pixel through us, to where the mailing points', async () => {
    const worker = await runWorker(place, settings);
    const id = await queueMailing(pool, 1);
    await pool.query(`update core_mailing set html = '<p><a href="https://a.example/?x=1&amp;y=2">A</a></p>' where id = $1`, [id]);
    equal(await (await start(id)).result(), 'completed');
    const mail = await simpleParser(sink.inbox.list()[0]?.content as Buffer);
    const [, link, akid] = /href="([^"]*\/click\/([^/"]*)\/0)"/.exec(mail.html as string) ?? [];
    ok(link && akid?.startsWith(`${id}.`), mail.html as string);
    ok((mail.html as string).includes(`/open/${akid}.gif`));
    const { rows } = await pool.query('select number, url from core_mailinglink where mailing_id = $1', [id]);
    deepEqual(rows, [{ number: 0, url: 'https://a.example/?x=1&y=2' }]);
    await worker.stop();
  });

  it('leaves nothing uncertain when its worker is stopped in mid-send, and goes on with the next one', async () => {
    const id = await queueMailing(pool, 900, { rate: 150 });
    const before = sink.counts().received;
    const first = await runWorker(place, settings);
    const run = await start(id);
    await until(async () => (await accepted(id)) > 100);
    await first.stop();
    const states = await ledgerStates(pool, id);
    deepEqual(Object.keys(states).sort(), ['accepted', 'pending']);
    const second = await runWorker(place, settings);
    equal(await run.result(), 'completed');
    deepEqual(await ledgerStates(pool, id), { accepted: 900 });
    equal(sink.counts().received - before, 900);
    await second.stop();
  });

  it('keeps one rate over two workers', async () => {
    const id = await queueMailing(pool, 12_000, { rate: 200 });
    const env = { ...process.env, ...settings, SEND_SLOTS: '1', TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE: place.namespace };
    const program = { logFolder: join(dataFolder(), 'logs'), env };
    const workers = [await startWorkerProcess(program, 1), await startWorkerProcess(program, 2)];
    const run = await start(id);
    await until(async () => (await accepted(id)) > 300);
    // At the relay, for the ledger is written some mails at a time; again where the machine had much else to do.
    let told = '';
    for (let n = 0, slow = true; slow; n++) {
      ok(n < 5, told);
      const [from, began] = [sink.counts().received, performance.now()];
      await sleep(5000);
      const mails = sink.counts().received - from;
      const seconds = (performance.now() - began) / 1000;
      told = `${mails} mails in ${seconds} s`;
      // What was not used for half a second may be caught up, and some are on the wire; each for itself they would make twice as many.
      ok(mails < 200 * (1.02 * seconds + 1), told);
      slow = mails <= 0.7 * 200 * seconds;
    }
    const held = 'select count(*)::int as shards from send_shard where mailing_id = $1 and held_until is not null';
    await until(async () => (await pool.query(held, [id])).rows[0].shards === 2);
    const progress = await run.query<SendProgress>(MESSAGE.progress);
    equal(progress.phase, 'sending');
    const stopped = performance.now();
    await run.signal(MESSAGE.stop);
    equal(await run.result(), 'stopped');
    ok(performance.now() - stopped < 20_000, `stopping took ${performance.now() - stopped} ms`);
    deepEqual(Object.keys(await ledgerStates(pool, id)).sort(), ['accepted', 'pending']);
    await Promise.all(workers.map((worker) => worker.stop()));
  });
});
