import type { Client } from '@temporalio/client';
import type { Env } from './env.ts';

/** A poll lasts a minute; older ones were of workers that are gone. */
export const POLLER_LIFETIME_SECONDS = 90;

/** Temporal's number for it (enums.v1.TaskQueueType). */
const TASK_QUEUE_OF_ACTIVITIES = 2;

/** The same of a worker that names its build (enums.v1.WorkerVersioningMode). */
const VERSIONED = 2;

interface Asked {
  temporal: Client;
  env: Pick<Env, 'TEMPORAL_NAMESPACE'>;
}

/** What somebody told Temporal of a task queue (`temporal task-queue config set`). */
export interface QueueLimit {
  perSecond: number;
  /** What it was told by, and is untold by. */
  option: '--queue-rps-limit' | '--fairness-key-rps-limit-default';
}

interface DescribedQueue {
  /** Who has asked for its activities in the last minutes, and when last (seconds). */
  polls: { worker: string; at: number; build: Build }[];
  /** So many of them a second does Temporal give out, where somebody told it so; servers before 1.29 know no such limits. */
  limits: QueueLimit[];
  /** To whom its tasks go, in percent; servers before 1.28 know no builds. */
  routes: { build: Build; percent: number }[];
}

/** Of the workers (WORKER_BUILD_ID), with the deployment it is of; null stands for workers that name none. */
export type Build = { deployment: string; build: string } | null;

/** What Temporal knows of a task queue. @throws when it cannot be asked */
export async function describeQueue({ temporal, env }: Asked, taskQueue: string): Promise<DescribedQueue> {
  const { pollers, config, versioningInfo } = await temporal.workflowService.describeTaskQueue({
    namespace: env.TEMPORAL_NAMESPACE,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_QUEUE_OF_ACTIVITIES,
    reportConfig: true,
  });
  const limited = config?.queueRateLimit?.rateLimit;
  // Tasks of ours have no key of fairness, and so share one. One of nothing holds nothing back.
  const keys = config?.fairnessKeysRateLimitDefault?.rateLimit?.requestsPerSecond;
  const told = (perSecond: number, option: QueueLimit['option']): QueueLimit => ({ perSecond: asTyped(perSecond), option });
  const ramped = versioningInfo?.rampingVersionPercentage ?? 0;
  return {
    polls: (pollers ?? []).map(({ identity, lastAccessTime, deploymentOptions }) => ({
      worker: identity ?? '',
      at: Number(lastAccessTime?.seconds ?? 0),
      build: deploymentOptions?.workerVersioningMode === VERSIONED ? buildOf(deploymentOptions) : null,
    })),
    routes: [
      { build: buildOf(versioningInfo?.currentDeploymentVersion), percent: 100 - ramped },
      { build: buildOf(versioningInfo?.rampingDeploymentVersion), percent: ramped },
    ].filter(({ percent }) => percent > 0),
    limits: [
      ...(limited ? [told(limited.requestsPerSecond ?? 0, '--queue-rps-limit')] : []),
      ...(keys ? [told(keys, '--fairness-key-rps-limit-default')] : []),
    ],
  };
}

const buildOf = (version?: { deploymentName?: string | null; buildId?: string | null } | null): Build =>
  version?.buildId ? { deployment: version.deploymentName ?? '', build: version.buildId } : null;

/** Temporal keeps seven digits: of 0.1 it says 0.10000000149011612. */
const asTyped = (kept: number): number => Number(kept.toPrecision(7));
