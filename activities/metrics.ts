import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricMeter } from '@temporalio/common';
import type { MetricsExporterConfig } from '@temporalio/worker';
import type { CoreDeps } from '../core/deps.ts';
import { hoursNow } from '../core/sending/hours.ts';
import type { SendMetrics } from '../core/sending/slice-setup.ts';
import { DatabaseProbe } from '../db/probe.ts';
import { LEDGER_STATE } from '../domain/words.ts';

export interface WorkerMetrics extends SendMetrics {
  stop(): void;
}

/**
 * How a worker gives its metrics out: names and units as Prometheus wants them.
 * @param address host:port
 */
export const metricsExporter = (address: string): MetricsExporterConfig => ({
  prometheus: {
    bindAddress: address,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
    histogramBucketOverrides: {
      campaign_ledger_commit: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
      temporal_activity_execution_latency: [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 3600],
    },
  },
});

const EVERY_MS = 5_000;

/**
 * The worker's own metrics, beside those of the Temporal SDK, at WORKER_METRICS: mails by outcome, time of a commit to the ledger, the window, memory,
 * event loop, pool, and whether the hours are open and the database takes changes. Counted once per commit, not per mail. Without WORKER_METRICS the meter does nothing, at no cost.
 */
export function measureWorker(meter: MetricMeter, { pool, ...hours }: Pick<CoreDeps, 'pool' | 'env' | 'clock'>): WorkerMetrics {
  const mails = meter.createCounter('campaign_mails', undefined, 'Mails whose outcome this worker recorded');
  const turns = meter.createHistogram('campaign_ledger_commit', 'float', 'seconds', 'Time of one commit to the ledger');
  const window = meter.createGauge(
    'campaign_window_mails',
    'int',
    undefined,
    'Mails on their way, of all mailings: what a power cut would leave uncertain at most',
  );
  const memory = meter.createGauge('campaign_process_resident_memory_bytes', 'int', undefined, 'Memory of this worker process');
  const delay = meter.createGauge(
    'campaign_event_loop_delay_p99_seconds',
    'float',
    undefined,
    'How late timers were, 99th percentile of 5 s',
  );
  const connections = meter.createGauge('campaign_pool_connections', 'int', undefined, 'Connections to PostgreSQL, and who waits for one');
  const open = meter.createGauge('campaign_sending_hours_open', 'int', undefined, '1 within SENDING_HOURS, and where there are none');
  const database = meter.createGauge('campaign_worker_database_up', 'int', undefined, '1: the database took a change of this worker');
  const probe = hours.env.WORKER_METRICS ? new DatabaseProbe(pool) : null;

  let sending = () => 0;
  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();
  const timer = setInterval(() => {
    memory.set(process.memoryUsage.rss());
    window.set(sending());
    delay.set(loop.percentile(99) / 1e9);
    loop.reset();
    connections.set(pool.totalCount - pool.idleCount, { state: 'busy' });
    connections.set(pool.idleCount, { state: 'idle' });
    connections.set(pool.waitingCount, { state: 'waiting' });
    open.set(Number(hoursNow(hours)?.open ?? true));
    probe?.state(EVERY_MS).then((state) => database.set(Number(state === 'ok')));
  }, EVERY_MS).unref();

  return {
    turn({ done, seconds }) {
      turns.record(seconds);
      for (const [outcome, state] of OUTCOMES) {
        const count = done.reduce((sum, each) => sum + Number(each.state === state), 0);
        if (count) mails.add(count, { outcome });
      }
    },
    watch(of) {
      sending = of;
    },
    stop() {
      clearInterval(timer);
      loop.disable();
    },
  };
}

const OUTCOMES = (['accepted', 'failed', 'skipped', 'uncertain'] as const).map((outcome) => [outcome, LEDGER_STATE[outcome]] as const);
