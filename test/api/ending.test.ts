import assert from 'node:assert/strict';
import { pino } from 'pino';
import { serve } from '../../api/serve.ts';
import { readEnv } from '../../config/env.ts';
import { createDatabase } from '../support/database.ts';
import { createNamespace } from '../support/temporal.ts';

describe('an API that is told to end', () => {
  it('says so first, answers everybody meanwhile on connections that are not kept, and then closes', async () => {
    const { address, namespace } = await createNamespace();
    const settings = { DATABASE_URL: await createDatabase(), TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
    const env = readEnv({ ...settings, PORT: '0', API_DRAIN_SECONDS: '5' });
    const api = await serve(env, pino({ level: 'silent' }), async () => {});
    const ready = async () => (await fetch(`${api.url}/health/ready`)).status;
    assert.equal(await ready(), 200);
    const stopped = api.stop();
    assert.equal(await ready(), 503);
    for (let n = 0; n < 10; n++) {
      const { status, headers } = await fetch(`${api.url}/health/live`);
      assert.deepEqual([status, headers.get('connection')], [200, 'close']);
    }
    await stopped;
    await assert.rejects(fetch(`${api.url}/health/live`));
  });
});
