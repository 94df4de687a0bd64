import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { temporalWorkflows } from '../../api/plugins/workflows.ts';
import { UnavailableError } from '../../domain/errors.ts';

describe('the workflow service, when it is away', () => {
  /** Takes connections and never says a word. */
  const silent = createServer(() => {});
  let closedPort: number;
  before(async () => {
    const closed = createServer();
    for (const server of [silent, closed]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closedPort = (closed.address() as AddressInfo).port;
    closed.close();
  });
  after(() => silent.close());

  for (const kind of ['not listening', 'listening and silent'] as const) {
    it(`is said to be, within seconds, by every call: ${kind}`, async () => {
      const port = kind === 'not listening' ? closedPort : (silent.address() as AddressInfo).port;
      const connection = Connection.lazy({ address: `127.0.0.1:${port}` });
      const workflows = temporalWorkflows(new Client({ connection }));
      const start = { workflow: 'sendMailing', workflowId: 'mailing-1-send', taskQueue: 'campaign', input: {} };
      const began = performance.now();
      await Promise.all([
        assert.rejects(workflows.start(start), UnavailableError),
        assert.rejects(workflows.signalWithStart(start, 'stop'), UnavailableError),
        assert.rejects(workflows.signal('mailing-1-send', 'stop'), UnavailableError),
        assert.rejects(workflows.ready(), UnavailableError),
        workflows.query('mailing-1-send', 'progress', 1000).then((answer) => assert.equal(answer, null)),
      ]);
      assert.ok(performance.now() - began < 15_000, `${performance.now() - began} ms`);
      await connection.close();
    });
  }
});
