import { Client, Connection } from '@temporalio/client';
import type { Env } from '../../config/env.ts';
import { namespaceAnswers } from '../../config/namespace-answers.ts';
import { converting } from '../../config/payload-codec.ts';
import { describeQueue, POLLER_LIFETIME_SECONDS, type QueueLimit } from '../../config/pollers.ts';
import { absentAttributes, attributesOfOtherTypes, shownAttributes } from '../../config/search-attributes.ts';
import { temporalConnection } from '../../config/temporal.ts';
import { LOGIN } from '../../config/temporal-away.ts';
import { certificateTrouble, theirCertificateTrouble } from '../../config/temporal-certificate.ts';
import { shakeHands } from '../../config/temporal-handshake.ts';
import { isOtherwise, settingsThatDiffer } from '../../config/worker-identity.ts';
import { counted } from '../../domain/counted.ts';
import { type Finding, look, PATIENCE_MS, well, wrong } from '../../domain/finding.ts';
import { SEARCH_ATTRIBUTE, TASK_QUEUE } from '../../workflows/contracts.ts';
import { lookAtRoutes } from './builds.ts';
import { lookAtRuns } from './runs.ts';
import { lookAtSchedules } from './schedules.ts';
import { aheadThere, lookAtItsClock, TOLD_WITHIN_MS } from './temporal-clock.ts';
import { isDenied, START_IT, unanswered, whyAway, wordsOf } from './unanswered.ts';

type BaseUrl = string | null | Promise<string | null>;

/**
 * The workflow service, the workers it sees, and the platform's schedules on it.
 * @param apiBaseUrl the BASE_URL of the API, which that of the workers is held against; null where it is not known
 */
export async function lookAtTemporal(env: Env, apiBaseUrl: BaseUrl = null): Promise<Finding[]> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = env;
  if (!address)
    return [
      wrong('temporal', 'TEMPORAL_ADDRESS is not set, and npm start has made none in DATA_DIR', 'set TEMPORAL_ADDRESS, or run npm start'),
    ];
  const place = temporalConnection(env);
  let connection: Connection;
  try {
    // Its client's own tries are left out: they keep Temporal's words from us, and one that comes when the connection is closed ends the process.
    connection = await Connection.connect({ ...place, connectTimeout: PATIENCE_MS, interceptors: [] });
  } catch (error) {
    if (isDenied(error as Error)) return [wrong('temporal', `${address} refuses us (${wordsOf(error as Error)})`, LOGIN)];
    const trouble = certificateTrouble(env);
    if (trouble?.over) return [wrong('temporal', trouble.words, 'put another certificate there: API and workers read it by themselves')];
    return [wrong('temporal', `no answer from ${address}: ${(await shakeHands(place))?.refused ?? (error as Error).message}`, START_IT)];
  }
  try {
    const client = new Client({ connection, namespace, ...converting(env) });
    return await connection.withDeadline(Date.now() + 3 * PATIENCE_MS, async () => {
      const found = await service(client, namespace, address);
      const ahead = await aheadThere(client);
      // What it does not tell of one thing keeps nothing back that it tells of another.
      const told = (part: string, look: Promise<Finding[]>) => look.catch((error: Error) => [unanswered(part, error)]);
      const looks = await Promise.all([
        searchAttributes(connection, namespace),
        certificates(env),
        told('workers', workers(client, env, ahead, apiBaseUrl)),
        told('schedules', lookAtSchedules(client, env, Date.now() + ahead)),
        told('runs', lookAtRuns(client)),
      ]);
      return [found, ...lookAtItsClock(ahead), ...looks.flat()];
    });
  } catch (error) {
    const away = whyAway(error as Error);
    if (away !== null) return [wrong('temporal', `no answer from ${address}${away}`, START_IT)];
    const todo = isDenied(error as Error) ? LOGIN : `look at TEMPORAL_NAMESPACE (${namespace}), and run npm run migrate`;
    return [wrong('temporal', `at ${address}: ${wordsOf(error as Error)}`, todo)];
  } finally {
    await connection.close();
  }
}

async function service(client: Client, namespace: string, address: string): Promise<Finding> {
  await namespaceAnswers(client.connection, namespace);
  const { serverVersion } = await client.workflowService.getSystemInfo({});
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
async function workers(client: Client, env: Env, ahead: number, apiBaseUrl: BaseUrl): Promise<Finding[]> {
  const queues = Object.values(TASK_QUEUE);
  const earliest = Date.now() + ahead - (ahead < 0 ? TOLD_WITHIN_MS : 0);
  const recent = earliest / 1000 - POLLER_LIFETIME_SECONDS;
  const described = await Promise.all(queues.map((queue) => describeQueue({ temporal: client, env }, queue)));
  const asked = described.map(({ polls }) => new Set(polls.filter(({ at }) => at > recent).map(({ worker }) => worker)));
  const seen = asked.map(({ size }) => size);
  const limited = queues.flatMap((queue, n) => described[n]!.limits.map((limit) => heldBack(queue, limit)));
  const without = queues.filter((_, n) => seen[n] === 0);
  if (without.length) return [...limited, wrong('workers', `nobody takes what waits on ${without.join(', ')}`, 'npm run worker')];
  const { polls, routes } = described[queues.indexOf(TASK_QUEUE.campaign)]!;
  const misled = lookAtRoutes(
    routes,
    polls.filter(({ at }) => at > recent).map(({ build }) => build),
  );
  if (misled.length) return [...limited, ...misled];
  const says = `${Math.min(...seen)} on every task queue within the last ${POLLER_LIFETIME_SECONDS} s`;
  // Where its schedules stand still they may have been gone for as long.
  if (lookAtItsClock(ahead).length) return [...limited, look('workers', `${says} by Temporal's clock`, 'look again when clocks agree')];
  const identities = [...new Set(asked.flatMap((workers) => [...workers]))];
  const differ = settingsThatDiffer(identities);
  const todo = 'the same for each; after a change, look again when none has the old ones';
  if (differ.length) return [...limited, look('workers', `${says}, not all with the same ${differ.join(', ')}`, todo)];
  const BASE_URL = await apiBaseUrl;
  if (BASE_URL !== null && isOtherwise('BASE_URL', { ...env, BASE_URL }, identities))
    return [...limited, look('workers', `${says}, with another BASE_URL than the API (${BASE_URL}): links in mails lead elsewhere`, todo)];
  return [...limited, well('workers', says)];
}

/** A limit that somebody gave a task queue in Temporal stays until it is taken back, and workers poll as ever. */
function heldBack(queue: string, { perSecond, option }: QueueLimit): Finding {
  const undo = `temporal task-queue config set --task-queue ${queue} --task-queue-type activity ${option} default`;
  if (perSecond === 0) return wrong('queues', `Temporal was told to give out nothing of task queue ${queue}`, undo);
  const says = `Temporal was told to give out ${counted(perSecond, 'task', 'tasks')} a second of task queue ${queue} at most`;
  return look('queues', says, `where that was not meant: ${undo}`);
}
