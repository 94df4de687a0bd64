import { Client, Connection } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { prepareNamespace } from '../../activities/namespace.ts';
import { TEMPORAL_RETRIES } from '../../config/temporal-retries.ts';
import { startTemporal } from '../../embedded/temporal.ts';
import { startTimeSkipping } from '../../embedded/time-skipping.ts';
import { dataFolder } from './data-folder.ts';
import { atEnd, once } from './endings.ts';

/** A Temporal namespace of one describe block's own: no other test's workflow ids, task queues or workers are in it. */
export interface TestNamespace {
  address: string;
  namespace: string;
  client: Client;
  /** For workers. */
  nativeConnection: NativeConnection;
}

// Faults that tests provoke would fill the screen otherwise.
Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });

let namespaces = 0;
const say = (what: string) => console.log(`  (${what})`);

/** One real development server per mocha process. */
const server = once(async () => {
  const temporal = await startTemporal({ dataDir: dataFolder(), namespace: 'default', persistent: false, say });
  atEnd(() => temporal.stop());
  const connection = await Connection.connect({ address: temporal.address, interceptors: TEMPORAL_RETRIES });
  const nativeConnection = await NativeConnection.connect({ address: temporal.address });
  atEnd(() => Promise.all([connection.close(), nativeConnection.close()]));
  return { address: temporal.address, connection, nativeConnection };
});

/** A fresh namespace on the real server, with our search attributes registered. */
export async function createNamespace(): Promise<TestNamespace> {
  const { address, connection, nativeConnection } = await server();
  const namespace = `test-${++namespaces}`;
  await prepareNamespace(connection, namespace);
  return { address, namespace, client: new Client({ connection, namespace }), nativeConnection };
}

/** For what is to be asked of a server that has much else to do, and not how soon that answers. */
export class PatientClient extends Client {
  override withDeadline<Result>(_deadline: number | Date, ask: () => Promise<Result>): Promise<Result> {
    return ask();
  }
}

/**
 * A server with time skipping of one describe block's own, for its clock is global: awaiting a workflow's result skips to its end, `sleep`
 * lets time pass. It knows no lists, schedules or search attributes of ours.
 */
export async function createTimeSkipping(): Promise<TestWorkflowEnvironment> {
  const environment = await startTimeSkipping(say);
  atEnd(() => environment.teardown());
  return environment;
}
