import { Client, Connection } from '@temporalio/client';
import type { Env } from '../../config/env.ts';
import { converting } from '../../config/payload-codec.ts';
import { POLLER_LIFETIME_SECONDS, pollsOf } from '../../config/pollers.ts';
import { absentAttributes, attributesOfOtherTypes, shownAttributes } from '../../config/search-attributes.ts';
import { temporalConnection } from '../../config/temporal.ts';
import { certificateTrouble, theirCertificateTrouble } from '../../config/temporal-certificate.ts';
import { shakeHands } from '../../config/temporal-handshake.ts';
import { type Finding, look, PATIENCE_MS, well, wrong } from '../../domain/finding.ts';
import { SEARCH_ATTRIBUTE, TASK_QUEUE } from '../../workflows/contracts.ts';
import { lookAtRuns } from './runs.ts';
import { lookAtSchedules } from './schedules.ts';
import { aheadThere, lookAtItsClock } from './temporal-clock.ts';

/** The workflow service, the workers it sees, and the platform's schedules on it. */
export async function lookAtTemporal(env: Env): Promise<Finding[]> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = env;
  if (!address)
    return [
      wrong('temporal', 'TEMPORAL_ADDRESS is not set, and npm start has made none in DATA_DIR', 'set TEMPORAL_ADDRESS, or run npm start'),
    ];
  const place = temporalConnection(env);
  let connection: Connection;
  try {
    connection = await Connection.connect({ ...place, connectTimeout: PATIENCE_MS });
  } catch (error) {
    const trouble = certificateTrouble(env);
    if (trouble?.over) return [wrong('temporal', trouble.words, 'put another certificate there: API and workers read it by themselves')];
    const todo = 'start it, or look at TEMPORAL_ADDRESS';
    return [wrong('temporal', `no answer from ${address}: ${(await shakeHands(place))?.refused ?? (error as Error).message}`, todo)];
  }
  try {
    const client = new Client({ connection, namespace, ...converting(env) });
    return await connection.withDeadline(Date.now() + 3 * PATIENCE_MS, async () => {
      const found = await service(client, namespace, address);
      const ahead = await aheadThere(client);
      return [
        found,
        ...lookAtItsClock(ahead),
        ...(await searchAttributes(connection, namespace)),
        ...(await certificates(env)),
        await workers(client, env, ahead),
        ...(await lookAtSchedules(client, env, Date.now() + ahead)),
        ...(await lookAtRuns(client)),
      ];
    });
  } catch (error) {
    const todo = `look at TEMPORAL_NAMESPACE (${namespace}), and run npm run migrate`;
    return [wrong('temporal', `at ${address}: ${(error as Error).message}`, todo)];
  } finally {
    await connection.close();
  }
}

async function service(client: Client, namespace: string, address: string): Promise<Finding> {
  const { serverVersion } = await client.workflowService.getSystemInfo({});
  await client.workflowService.describeNamespace({ namespace });
  return well('temporal', `server ${serverVersion} at ${address}, namespace ${namespace}`);
}

/** Without them no run can be started. Who may not list them is told nothing. */
async function searchAttributes(connection: Connection, namespace: string): Promise<Finding[]> {
  const needed = Object.values(SEARCH_ATTRIBUTE);
  const listed = await connection.operatorService.listSearchAttributes({ namespace }).catch(() => null);
  if (!listed) return [];
  const others = attributesOfOtherTypes(listed.customAttributes, needed);
  if (others)
    return [wrong('temporal', `in namespace ${namespace} the search attribute ${others}`, 'give the platform a namespace of its own')];
  const absent = absentAttributes(listed.customAttributes, needed);
  if (!absent.length) return [];
  return [wrong('temporal', `namespace ${namespace} lacks the search attributes ${shownAttributes(absent)}`, 'npm run migrate')];
}

async function certificates(env: Env): Promise<Finding[]> {
  const [ours, theirs] = [certificateTrouble(env), await theirCertificateTrouble(temporalConnection(env))];
  return [
    ...(ours ? [look('temporal', ours.words, 'put another certificate there: API and workers read it by themselves')] : []),
    ...(theirs ? [look('temporal', theirs.words, 'put another certificate there, where Temporal runs')] : []),
  ];
}

/** @param ahead so many milliseconds is the clock of Temporal, which notes when somebody asked */
async function workers(client: Client, env: Env, ahead: number): Promise<Finding> {
  const queues = Object.values(TASK_QUEUE);
  const recent = (Date.now() + ahead) / 1000 - POLLER_LIFETIME_SECONDS;
  const seen = await Promise.all(
    queues.map(async (queue) => {
      const polls = await pollsOf({ temporal: client, env }, queue);
      return new Set(polls.filter(({ at }) => at > recent).map(({ worker }) => worker)).size;
    }),
  );
  const without = queues.filter((_, n) => seen[n] === 0);
  if (without.length) return wrong('workers', `nobody takes what waits on ${without.join(', ')}`, 'npm run worker');
  const says = `${Math.min(...seen)} on every task queue within the last ${POLLER_LIFETIME_SECONDS} s`;
  // Where its schedules stand still they may have been gone for as long.
  if (lookAtItsClock(ahead).length) return look('workers', `${says} by Temporal's clock`, 'look again when clocks agree');
  return well('workers', says);
}
