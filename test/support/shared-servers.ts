import { createDatabase } from './database.ts';
import { createNamespace } from './temporal.ts';

/**
 * Settings that lead a platform to a database and a namespace of its own on the servers all tests of this process share: to make a cluster, migrate it, and start
 * both servers takes some two seconds of processor time each time. `platform.test.ts` and others start them with the platform.
 */
export async function sharedServers(): Promise<{ DATABASE_URL: string; TEMPORAL_ADDRESS: string; TEMPORAL_NAMESPACE: string }> {
  const { address, namespace } = await createNamespace();
  return { DATABASE_URL: await createDatabase(), TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
}
