import { Connection, isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';
import { type Env, needed } from '../config/env.ts';
import { namespaceAnswers } from '../config/namespace-answers.ts';
import { temporalConnection } from '../config/temporal.ts';
import { keptTemporal } from '../embedded/kept-addresses.ts';
import type { Call, Command } from './command.ts';
import { AwayError, RefusedError, table, UsageError } from './terminal.ts';

// Which build of the workers is given runs, where they name one (WORKER_BUILD_ID): worker deployments, as Temporal calls them.

/** In place of a build: workers that name none. */
const UNNAMED = 'none';
const WAIT_SECONDS = 10;
/** Temporal answers a change when each part of each task queue knows of it: seconds where it is idle (1.7 to 4.3 were measured), more where it is busy. */
const CHANGE_SECONDS = 60;
/** gRPC's numbers. */
const CODE = { deadlineExceeded: 4, notFound: 5, alreadyDone: 9, unavailable: 14 };

interface Builds {
  deployment: string;
  /** Null: workers that name none. */
  current: string | null;
  ramping: { build: string | null; percent: number } | null;
  builds: { build: string; since: string; status: string }[];
}

/** `workers`, `workers current BUILD`, `workers ramp BUILD PERCENT`. */
export const workers: Command = async ({ env, words, say }) => {
  const [verb, build, percent, ...more] = words;
  if (more.length || (verb !== undefined && !build) || (verb === 'current' && percent !== undefined))
    throw new UsageError('workers takes nothing, current BUILD, or ramp BUILD PERCENT');
  const of = { namespace: env.TEMPORAL_NAMESPACE, deploymentName: env.WORKER_DEPLOYMENT, identity: 'cli' };
  const change = { ...of, buildId: build === UNNAMED ? '' : build };
  await withTemporal(env, async ({ workflowService }) => {
    if (verb !== undefined && verb !== 'current' && verb !== 'ramp') throw new UsageError(`workers has no ${verb}`);
    const percentage = verb === 'ramp' ? percentOf(percent) : 0;
    // Where no worker ever named a build, all runs go to those that name none: Temporal would refuse to be told so.
    const isSo = build === UNNAMED && !(await deployment(workflowService, of));
    if (verb === 'current' && !isSo) await workflowService.setWorkerDeploymentCurrentVersion(change);
    if (verb === 'ramp' && !isSo) await workflowService.setWorkerDeploymentRampingVersion({ ...change, percentage });
    const found = await readBuilds(workflowService, of);
    say(found, () => asText(found));
  });
};

interface Of {
  namespace: string;
  deploymentName: string;
}

/** Null where no worker ever named a build, as by default. */
async function deployment(service: Connection['workflowService'], { namespace, deploymentName }: Of) {
  try {
    return (await service.describeWorkerDeployment({ namespace, deploymentName })).workerDeploymentInfo ?? null;
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === CODE.notFound) return null;
    throw error;
  }
}

async function readBuilds(service: Connection['workflowService'], of: Of): Promise<Builds> {
  const info = await deployment(service, of);
  const routing = info?.routingConfig;
  const ramping = routing?.rampingVersionPercentage
    ? { build: routing.rampingDeploymentVersion?.buildId || null, percent: routing.rampingVersionPercentage }
    : null;
  return {
    deployment: of.deploymentName,
    current: routing?.currentDeploymentVersion?.buildId || null,
    ramping,
    builds: (info?.versionSummaries ?? []).map(({ deploymentVersion, createTime, drainageStatus }) => ({
      build: deploymentVersion?.buildId ?? '',
      since: new Date(Number(createTime?.seconds ?? 0) * 1000).toISOString().slice(0, 19),
      status: DRAINAGE[drainageStatus ?? 0] ?? '',
    })),
  };
}

/** By Temporal's number (enums.v1.VersionDrainageStatus). */
const DRAINAGE = ['', 'finishing what it has', 'has nothing left'];

function asText({ deployment, current, ramping, builds }: Builds): string {
  const standing = (build: string) =>
    build === current ? 'current' : build === ramping?.build ? `${ramping.percent} % of what begins` : '';
  const ramped =
    ramping?.build === null ? `${ramping.percent} % of what begins of ${deployment} goes to workers without WORKER_BUILD_ID.` : '';
  const unnamed = current === null ? `Runs of ${deployment} go to workers without WORKER_BUILD_ID.` : ramped;
  return [
    unnamed,
    builds.length
      ? table(
          ['build', 'first seen (UTC)', 'runs'],
          builds.map(({ build, since, status }) => [build, since, standing(build) || status]),
        )
      : '',
  ]
    .filter(Boolean)
    .join('\n');
}

function percentOf(text: string | undefined): number {
  const percent = Number(text);
  if (!text || !(percent >= 0 && percent <= 100)) throw new UsageError('workers ramp takes a percentage from 0 to 100');
  return percent;
}

async function withTemporal(env: Call['env'], work: (connection: Connection) => Promise<void>): Promise<void> {
  const { TEMPORAL_ADDRESS: address } = needed(
    { ...env, TEMPORAL_ADDRESS: env.TEMPORAL_ADDRESS ?? keptTemporal(env) ?? undefined } as Env,
    'TEMPORAL_ADDRESS',
  );
  // Its client's own tries are left out: one that comes when the connection is closed ends the process.
  const connection = Connection.lazy({ ...temporalConnection({ ...env, TEMPORAL_ADDRESS: address }), interceptors: [] });
  let asked = false;
  try {
    await connection.withDeadline(Date.now() + WAIT_SECONDS * 1000, () => namespaceAnswers(connection, env.TEMPORAL_NAMESPACE));
    asked = true;
    await connection.withDeadline(Date.now() + CHANGE_SECONDS * 1000, () => work(connection));
  } catch (error) {
    if (error instanceof NamespaceNotFoundError)
      throw new AwayError(`TEMPORAL_NAMESPACE: Temporal has no namespace ${error.namespace}, which npm run migrate makes`);
    const { code, details } = error as { code?: number; details?: string };
    if (code === undefined) throw error;
    // Nothing was asked of it yet.
    if (!asked && (code === CODE.deadlineExceeded || code === CODE.unavailable))
      throw new AwayError(`TEMPORAL_ADDRESS: no answer from Temporal at ${address}`);
    if (code === CODE.notFound)
      throw new RefusedError(`Temporal knows no such worker: ${details}. Start one with this WORKER_BUILD_ID first`);
    if (code === CODE.alreadyDone) throw new RefusedError(`Temporal refuses: ${details}`);
    const why = code === CODE.deadlineExceeded ? 'it did not answer in time, and may do it all the same: "workers" shows it' : details;
    throw new AwayError(`TEMPORAL_ADDRESS: Temporal at ${address} does not do it: ${why || (error as Error).message}`);
  } finally {
    await connection.close();
  }
}
