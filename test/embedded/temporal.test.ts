import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { prepareNamespace } from '../../activities/namespace.ts';
import { startTemporal, type TemporalServer } from '../../embedded/temporal.ts';
import { temporalBinary } from '../../embedded/temporal-binary.ts';
import { dataFolder } from '../support/data-folder.ts';
import { createNamespace, createTimeSkipping, type TestNamespace } from '../support/temporal.ts';

const workflows = bundleWorkflowCode({ workflowsPath: `${import.meta.dirname}/nap.ts`, logger: new DefaultLogger('ERROR') });

type Place = Pick<TestNamespace, 'client' | 'nativeConnection'> & { namespace?: string | undefined };

async function runNap({ client, namespace = 'default', nativeConnection }: Place, duration: string): Promise<string> {
  const worker = await Worker.create({ connection: nativeConnection, namespace, taskQueue: 'naps', workflowBundle: await workflows });
  return worker.runUntil(client.workflow.execute('nap', { workflowId: 'nap-1', taskQueue: 'naps', args: [duration] }));
}

describe('embedded Temporal', () => {
  it('gives each test a namespace of its own on the real server, with our search attributes', async () => {
    const first = await createNamespace();
    const second = await createNamespace();
    assert.equal(await runNap(first, '1 ms'), 'awake');
    assert.equal(await runNap(second, '1 ms'), 'awake');
    const started = await first.client.workflow.start('nap', {
      workflowId: 'nap-2',
      taskQueue: 'nobody',
      searchAttributes: { MailingId: [7], JobKind: ['send'] },
    });
    const found: string[] = [];
    // The list is brought up to date a moment after the start.
    while (!found.length)
      for await (const run of first.client.workflow.list({ query: 'MailingId = 7 and JobKind = "send"' })) found.push(run.runId);
    assert.deepEqual(found, [started.firstExecutionRunId]);
  });

  it('lets a month pass in a moment on the server with time skipping', async () => {
    const environment = await createTimeSkipping();
    const begun = Date.now();
    assert.equal(await runNap(environment, '31 days'), 'awake');
    assert.ok(Date.now() - begun < 60_000);
  });

  it('refuses a TEMPORAL_CLI_PATH that is no program, by name', async () => {
    await assert.rejects(
      temporalBinary('/nowhere/temporal', () => {}),
      /TEMPORAL_CLI_PATH: \/nowhere\/temporal/,
    );
  });

  describe('on a file', () => {
    let server: TemporalServer;
    after(() => server.stop());

    it('keeps its runs, its addresses and its search attributes over a SIGKILL', async () => {
      const dataDir = dataFolder();
      server = await startTemporal({ dataDir, namespace: 'campaign' });
      const { address, uiUrl } = server;
      const connection = await Connection.connect({ address });
      const { workflow } = new Client({ connection, namespace: 'campaign' });
      await prepareNamespace(connection, 'campaign');
      await workflow.start('nap', { workflowId: 'nap-3', taskQueue: 'nobody', args: ['1 day'] });
      assert.equal((await fetch(uiUrl)).status, 200);
      process.kill(server.pid, 'SIGKILL');
      assert.equal(await server.exited, 'signal SIGKILL');
      server = await startTemporal({ dataDir, namespace: 'campaign' });
      assert.deepEqual([server.address, server.uiUrl], [address, uiUrl]);
      await prepareNamespace(connection, 'campaign');
      assert.equal((await workflow.getHandle('nap-3').describe()).status.name, 'RUNNING');
      await connection.close();
      assert.ok(existsSync(`${dataDir}/temporal/temporal.db`));
    });
  });
});
