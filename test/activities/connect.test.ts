import { match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectWhenThere } from '../../activities/connect.ts';
import { readEnv } from '../../config/env.ts';
import { createNamespace } from '../support/temporal.ts';
import { startFrontend } from '../support/temporal-frontend.ts';

describe('a worker that is started', () => {
  for (const [why, refusal] of Object.entries({
    'is being restarted': { code: 14, message: 'frontend is shutting down' },
    'limits what it is asked': { code: 8, message: 'namespace rate limit exceeded' },
  })) {
    it(`waits for a Temporal that ${why}, and says so`, async () => {
      const { address, namespace } = await createNamespace();
      const frontend = await startFrontend(address);
      frontend.refuse = (call) => (call === 'DescribeNamespace' ? refusal : null);
      const said: string[] = [];
      const log = { info() {}, error() {}, warn: (_fields: object, message: string) => said.push(message) };
      const connecting = connectWhenThere(readEnv({ TEMPORAL_ADDRESS: frontend.address, TEMPORAL_NAMESPACE: namespace }), log);
      // Rejected, it would be so here.
      while (!said.length) await Promise.race([connecting, sleep(100)]);
      match(
        said[0]!,
        new RegExp(`^TEMPORAL_ADDRESS: Temporal at ${frontend.address} does not answer now: ${refusal.message}; this process goes on`),
      );
      frontend.refuse = () => null;
      await (await connecting).close();
      frontend.close();
    }).timeout(120_000);
  }
});
