import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import { SettingError } from '../config/env.ts';
import { namespaceAnswers } from '../config/namespace-answers.ts';
import type { Pool } from '../db/driver.ts';
import { DatabaseProbe } from '../db/probe.ts';
import { inTime } from '../domain/in-time.ts';

const PATIENCE_MS = 3_000;

interface Asked {
  pool: Pool;
  temporal: Client;
  /** Aborted when the worker was told to end. */
  ending: AbortSignal;
}

/** Where a worker says how it is. */
export interface WorkerHealth {
  port: number;
  close(): Promise<void>;
}

/**
 * `/health/live`: the process answers. `/health/ready`: so do the database, which takes changes and confirms them, and the workflow service, which has our namespace; not once the worker
 * was told to end. The words are those of the API's.
 * @param place WORKER_HEALTH
 * @throws SettingError when it cannot be listened on
 */
export async function openWorkerHealth(place: string, { pool, temporal, ending }: Asked): Promise<WorkerHealth> {
  const database = new DatabaseProbe(pool);
  const service = () =>
    temporal
      .withDeadline(Date.now() + PATIENCE_MS, () => namespaceAnswers(temporal.connection, temporal.options.namespace))
      .then(
        () => 'ok',
        () => 'away',
      );
  const ready = async () => {
    if (ending.aborted) return { status: 'ending' };
    const [state, workflows] = await Promise.all([database.state(PATIENCE_MS), inTime(service(), PATIENCE_MS, 'away')]);
    return { status: state === 'ok' && workflows === 'ok' ? 'ok' : 'unavailable', database: state, workflows };
  };
  const answers: Record<string, () => Promise<{ status: string }>> = {
    '/health/live': async () => ({ status: 'ok' }),
    '/health/ready': ready,
  };
  const server = createServer(async ({ method, url = '' }, response) => {
    const answer = method === 'GET' && Object.hasOwn(answers, url) ? await answers[url]!() : null;
    response.writeHead(answer === null ? 404 : answer.status === 'ok' ? 200 : 503, { 'content-type': 'application/json' });
    response.end(answer === null ? undefined : JSON.stringify(answer));
  });
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(place) ?? [];
  try {
    await once(server.listen(Number(port), host), 'listening');
  } catch (error) {
    throw new SettingError(`WORKER_HEALTH: ${(error as Error).message}`, { cause: error });
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
