import { type RunningWorker, startWorker, type WorkerParts } from '../../activities/worker.ts';
import { readEnv } from '../../config/env.ts';
import { atEnd } from './endings.ts';
import type { TestNamespace } from './temporal.ts';

const quiet = { info() {}, warn() {}, error() {} };

/**
 * A whole worker (all task queues, real activities) inside this process, ended when the tests of its file are over if not before. Also on a
 * time-skipping server: give its environment as the place.
 * @param settings over the defaults; DATABASE_URL, and SMTP_URL unless `parts` brings a relay
 */
export async function runWorker(
  place: Pick<TestNamespace, 'address' | 'client' | 'nativeConnection'> & { namespace?: string | undefined },
  settings: Record<string, string>,
  parts: WorkerParts = {},
): Promise<RunningWorker> {
  const { address, namespace = 'default', nativeConnection, client } = place;
  const env = readEnv({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, SHUTDOWN_GRACE_SECONDS: '5', ...settings });
  const worker = await startWorker(env, quiet, { nativeConnection, temporal: client, ...parts });
  atEnd(() => worker.stop());
  return worker;
}
