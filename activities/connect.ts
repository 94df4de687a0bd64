import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import type { Env } from '../config/env.ts';
import { temporalConnection } from '../config/temporal.ts';
import { isTemporalAway, whyAway } from '../config/temporal-away.ts';
import { theirCertificateTrouble } from '../config/temporal-certificate.ts';
import type { ActivityDeps } from './deps.ts';

const AGAIN_MS = 1_000;
const SAID_EVERY_MS = 60_000;
/** gRPC's number for what is not there. */
const NOT_FOUND = 5;
/** What gRPC calls too slow, too much and not now: a frontend that is restarted, or limits what it is asked. */
const BUSY = [4, 8, 14];

/**
 * Connects to Temporal once it answers and has our namespace, so that it does not matter which part of the platform is started first; says meanwhile what it waits for.
 * @throws what Temporal refuses us with
 */
export async function connectWhenThere(env: Env, log: ActivityDeps['log']): Promise<NativeConnection> {
  let said = -Infinity;
  for (;;) {
    const missing = await tryToConnect(env);
    if (typeof missing !== 'string') return missing;
    if (performance.now() - said > SAID_EVERY_MS) {
      log.warn({}, `${missing}; this process goes on when that has changed`);
      said = performance.now();
    }
    await sleep(AGAIN_MS);
  }
}

/** @returns in words what is not there yet */
async function tryToConnect(env: Env): Promise<NativeConnection | string> {
  let connection: NativeConnection | undefined;
  try {
    connection = await NativeConnection.connect(temporalConnection(env));
    await connection.workflowService.describeNamespace({ namespace: env.TEMPORAL_NAMESPACE });
    return connection;
  } catch (error) {
    await connection?.close();
    if (isTemporalAway(error)) return (await theirs(env)) ?? whyAway(error, env);
    const { code, message } = error as Error & { code?: unknown };
    if (BUSY.includes(code as number)) return `TEMPORAL_ADDRESS: Temporal at ${env.TEMPORAL_ADDRESS} does not answer now: ${message}`;
    if (code === NOT_FOUND) return `TEMPORAL_NAMESPACE: Temporal has no namespace ${env.TEMPORAL_NAMESPACE}, which npm run migrate makes`;
    throw error;
  }
}

/** With the day, which the native connection does not say. */
async function theirs(env: Env): Promise<string | null> {
  const trouble = await theirCertificateTrouble(temporalConnection(env));
  return trouble?.over ? trouble.words : null;
}
