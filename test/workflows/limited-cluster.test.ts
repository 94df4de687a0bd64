import { equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createPool } from '../../db/pool.ts';
import { startSmtpSink } from '../../embedded/smtp-sink.ts';
import { startOf, startOptions } from '../../workflows/contracts.ts';
import { createDatabase } from '../support/database.ts';
import { queueMailing } from '../support/sending.ts';
import { createNamespace } from '../support/temporal.ts';
import { startFrontend } from '../support/temporal-frontend.ts';
import { runWorker } from '../support/worker.ts';

describe('a cluster that limits what it is asked', () => {
  it('keeps no send waiting because it does not say how many workers there are', async () => {
    const place = await createNamespace();
    const frontend = await startFrontend(place.address);
    const connection = await Connection.connect({ address: frontend.address });
    const url = await createDatabase();
    const pool = createPool(url, 2);
    const sink = await startSmtpSink({ keep: 1 });
    const settings = {
      DATABASE_URL: url,
      SMTP_URL: sink.url,
      SMTP_CONNECTIONS: '4',
      SEND_SHARD_SIZE: '100',
      SEND_SLICE_SECONDS: '1',
      SEND_SLOTS: '3',
    };
    const temporal = new Client({ connection, namespace: place.namespace });
    const worker = await runWorker(place, settings, { temporal });
    const send = async (rate: number, people: number) => {
      const mailingId = await queueMailing(pool, people, { rate });
      return place.client.workflow.start('sendMailing', startOptions(startOf('sendMailing', { mailingId })));
    };
    // What a busy machine takes, it takes where nothing is limited, too.
    const calm = performance.now();
    equal(await (await send(1000, 10)).result(), 'completed');
    const usual = performance.now() - calm;
    const sentBefore = sink.counts().received;
    frontend.refuse = (call) => (call === 'DescribeTaskQueue' ? { code: 8, message: 'namespace rate limit exceeded' } : null);
    const begun = performance.now();
    // Has lanes, each of which asks whether another worker should have it.
    const long = await send(20, 1200);
    while (sink.counts().received === sentBefore) await sleep(50);
    const waited = performance.now() - begun;
    await sleep(5_000);
    const before = performance.now();
    const short = await send(1000, 10);
    equal(await short.result(), 'completed');
    const lasted = performance.now() - before;
    await long.terminate();
    await worker.stop();
    await sink.close();
    await pool.end();
    await connection.close();
    frontend.close();
    // The client asks for the better part of a minute.
    ok(waited < 25_000 + 3 * usual, `the first mail came after ${waited} ms; where nothing is limited a mailing takes ${usual}`);
    ok(lasted < 25_000 + 3 * usual, `the next mailing took ${lasted} ms; where nothing is limited it takes ${usual}`);
  });
});
