import { live } from './lifetime.ts';
import { sayWhatIsUnsafe, sayWhoIsAway } from './services.ts';

// A worker alone, against the services named by DATABASE_URL, TEMPORAL_ADDRESS and SMTP_URL. Any number may run side by side. It is loaded once the settings are known to be of use: that takes a second.
await live('worker', async (env, log) => {
  const { DefaultLogger, Runtime } = await import('@temporalio/worker');
  const { metricsExporter } = await import('../activities/metrics.ts');
  const { newsOfTheSdk } = await import('../activities/sdk-log.ts');
  const { startWorker } = await import('../activities/worker.ts');
  const level = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  const newsOf = newsOfTheSdk();
  const logger = new DefaultLogger('INFO', ({ level: at, message, meta = {} }) => {
    // So it is meant: three of the four task queues have activities alone.
    const fields = message.startsWith('No workflows registered') ? null : newsOf(message, meta);
    if (fields) log[level[at]](fields, message);
  });
  // The signals are ours: what is on the wire is finished first.
  const logging = { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } as const;
  const metrics = env.WORKER_METRICS ? { metrics: metricsExporter(env.WORKER_METRICS) } : {};
  Runtime.install({ logger, telemetryOptions: { logging, ...metrics }, shutdownSignals: [] });
  sayWhoIsAway(env, log, ['DATABASE_URL', 'SMTP_URL', 'SMTP_RELAYS']);
  sayWhatIsUnsafe(env, log);
  const worker = await startWorker(env, log);
  log.info({ slots: env.SEND_SLOTS, connections: env.SMTP_CONNECTIONS }, 'worker is up');
  return worker;
});
