import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { startWorker } from '../../activities/worker.ts';
import { readEnv } from '../../config/env.ts';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { createPool } from '../../db/pool.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { allText } from '../support/all-text.ts';
import { createDatabase } from '../support/database.ts';
import { queueMailing, ScriptedRelay } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { runWorker } from '../support/worker.ts';

describe('what the database says of a report that a mailing shows', () => {
  it('is in the errors of the mailing in full, and not in the history of its run: it quotes values, which name people', async () => {
    const place = await createNamespace();
    const url = await createDatabase();
    const pool = createPool(url, 3);
    await ensureReportRole(pool, readEnv({ DATABASE_URL: url }));
    await runWorker(place, { DATABASE_URL: url }, { relay: new ScriptedRelay() });
    const id = await queueMailing(pool, 2);
    await pool.query(`update core_user set last_name = 'Zaphodson'`);
    await pool.query(
      `insert into reports_queryreport (name, short_name, sql) values ('Last', 'last', 'select last_name::int from core_user')`,
    );
    await pool.query(`update core_mailing set html = '<p>{% report "last" %}</p>' where id = $1`, [id]);
    const run = await place.client.workflow.start('sendMailing', {
      workflowId: workflowId.sendMailing(id),
      taskQueue: TASK_QUEUE.campaign,
      args: [{ mailingId: id }],
    });
    equal(await run.result(), 'died');
    const { rows } = await pool.query('select status, errors from core_mailing where id = $1', [id]);
    equal(rows[0].status, 'died');
    equal(
      rows[0].errors.at(-1),
      'the report last cannot be shown: The statement failed: invalid input syntax for type integer: "Zaphodson".',
    );
    const history = allText(await run.fetchHistory());
    ok(!history.includes('Zaphodson'), history.slice(Math.max(0, history.indexOf('Zaphodson') - 300)).slice(0, 600));
    ok(history.includes('the errors of the mailing say why'));
    await pool.end();
  });
});

describe('what a relay says about somebody', () => {
  it('is in the ledger in full, and without the address in histories, details and logs', async () => {
    const place = await createNamespace();
    const url = await createDatabase();
    const pool = createPool(url, 3);
    const said = '550 5.1.1 <ann@relay.example>: no such mailbox, ask ann@relay.example';
    const sink = await startSmtpSink({ rules: [{ at: 'rcpt', reply: said }] });
    const lines: string[] = [];
    const write = (fields: object, message: string) => lines.push(JSON.stringify(fields), message);
    const env = readEnv({
      TEMPORAL_ADDRESS: place.address,
      TEMPORAL_NAMESPACE: place.namespace,
      DATABASE_URL: url,
      SMTP_URL: sink.url,
      SEND_REFUSED_IN_A_ROW: '5',
    });
    const { nativeConnection, client: temporal } = place;
    const worker = await startWorker(env, { info: write, warn: write, error: write }, { nativeConnection, temporal });
    const start = (type: string, id: string, input: object) =>
      temporal.workflow.start(type, { workflowId: id, taskQueue: TASK_QUEUE.campaign, args: [input] });
    const history = async (run: WorkflowHandle) => allText(await run.fetchHistory());

    const id = await queueMailing(pool, 20);
    const send = await start('sendMailing', workflowId.sendMailing(id), { mailingId: id });
    equal(await send.result(), 'died');
    const { rows } = await pool.query('select distinct detail from send_record where mailing_id = $1 and detail is not null', [id]);
    deepEqual(rows, [{ detail: said }]);
    const { rows: ended } = await pool.query('select errors::text as errors from core_mailing where id = $1', [id]);
    ok(ended[0].errors.includes('no such mailbox'), ended[0].errors);

    // The relay is away, and says so by name: proofs are tried again.
    sink.setRules([{ at: 'mail', reply: '421 4.3.2 ann@relay.example is closing' }]);
    const proof = await pool.query(
      `insert into core_mailingproof (mailing_id, reviewers, proofs) values ($1, '["reviewer@example.org"]', 1) returning id`,
      [id],
    );
    const jobId: number = proof.rows[0].id;
    const proofs = await start('sendProofs', workflowId.sendProofs(id, jobId), { mailingId: id, jobId });
    const attempts = async () => (await proofs.describe()).raw.pendingActivities?.[0];
    while (((await attempts())?.attempt ?? 0) < 2) await sleep(100);
    const pending = allText(await attempts());
    ok(pending.includes('is closing'), pending);
    await proofs.terminate();

    for (const [where, text] of Object.entries({ send: await history(send), pending, logs: lines.join('\n') }))
      ok(!text.includes('relay.example'), `${where}: ${text.slice(Math.max(0, text.indexOf('relay.example') - 300)).slice(0, 600)}`);
    ok((await history(send)).includes('no such mailbox'));
    await worker.stop();
    await sink.close();
    await pool.end();
  });
});
