import { deepEqual, equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendingWorkers } from '../../activities/sending/lanes.ts';
import { createPool } from '../../db/pool.ts';
import { startWorkerProcess } from '../../embedded/programs.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { TASK_QUEUE, workflowId } from '../../workflows/contracts.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createDatabase } from '../support/database.ts';
import { queueMailing } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';

describe('what the log says of a relay that goes away under a send', () => {
  it('is one line when it goes and one when it is back, though every lane had mail accepted just before', async () => {
    const { address, namespace, client } = await createNamespace();
    const url = await createDatabase();
    const pool = createPool(url, 3);
    const sink = await startSmtpSink();
    const settings = { DATABASE_URL: url, SMTP_URL: sink.url, SMTP_CONNECTIONS: '4', SEND_LANES: '2', SEND_SHARD_SIZE: '450' };
    const env = { ...process.env, ...settings, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    const logFolder = join(dataFolder(), 'logs');
    const workers = await Promise.all([1, 2].map((n) => startWorkerProcess({ env, logFolder }, n)));
    while ((await sendingWorkers({ temporal: client, env: { TEMPORAL_NAMESPACE: namespace } })) < 2) await sleep(100);
    const said = () =>
      [1, 2]
        .flatMap((n) => readFileSync(join(logFolder, `worker-${n}.log`), 'utf8').split('\n'))
        .filter((line) => line.includes('"msg":"a send '))
        .map((line) => JSON.parse(line))
        .sort((a, b) => a.time - b.time)
        .map(({ msg }: { msg: string }) => msg.split(':')[0]);

    const id = await queueMailing(pool, 900, { rate: 60 });
    const start = { workflowId: workflowId.sendMailing(id), taskQueue: TASK_QUEUE.campaign, args: [{ mailingId: id }] };
    const run = await client.workflow.start('sendMailing', start);
    const bothSend = 'select from send_shard where mailing_id = $1 and accepted > 20';
    while ((await pool.query(bothSend, [id])).rows.length < 2) await sleep(50);
    sink.setRules([{ at: 'mail', reply: '421 4.3.2 closing', next: 'close' }]);
    while (!said().length) await sleep(100);
    await sleep(6_000);
    deepEqual(said(), ['a send pauses']);
    sink.setRules([]);
    equal(await run.result(), 'completed');
    deepEqual(said(), ['a send pauses', 'a send goes on']);
    for (const worker of workers) await worker.stop();
    await sink.close();
    await pool.end();
  });
});
