import assert, { match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { connectWhenThere } from '../../activities/connect.ts';
import { prepareNamespace } from '../../activities/namespace.ts';
import { plainWords } from '../../bin/failure.ts';
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
    });
  }

  it('says that Temporal refuses it, and no longer that none answers, where its key is no good', async () => {
    const { address, namespace } = await createNamespace();
    const frontend = await startFrontend(address);
    frontend.refuse = () => ({ code: 7, message: 'Request unauthorized.' });
    const said: string[] = [];
    const log = { info() {}, error() {}, warn: (_fields: object, message: string) => said.push(message) };
    const env = readEnv({ TEMPORAL_ADDRESS: frontend.address, TEMPORAL_NAMESPACE: namespace });
    const connecting = connectWhenThere(env, log);
    while (!said.length) await Promise.race([connecting, sleep(100)]);
    match(said[0]!, /refuses us \(Request unauthorized\.\): look at TEMPORAL_API_KEY .*; this process goes on when/);
    frontend.refuse = () => null;
    await (await connecting).close();
    // At the door it is welcome, and not in the namespace.
    frontend.refuse = (call) => (call === 'DescribeNamespace' ? { code: 16, message: 'token is expired' } : null);
    const failure = await connectWhenThere(env, log).then(
      () => assert.fail('it was let in'),
      (error: unknown) => error,
    );
    match(plainWords(failure) ?? '', /^TEMPORAL_ADDRESS: Temporal at .* refuses us \(.*token is expired\)/);
    const connection = await Connection.connect({ address: frontend.address });
    frontend.refuse = () => ({ code: 7, message: 'Request unauthorized.' });
    match(plainWords(await prepareNamespace(connection, 'nobody-made-it').catch((error: unknown) => error)) ?? '', /refuses us \(Request/);
    await connection.close();
    frontend.close();
  });
});
