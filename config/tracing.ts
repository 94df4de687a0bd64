import type { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry';
import type { Env } from './env.ts';

export interface Tracing {
  /** For Temporal clients, workers and the bundle of workflows: carries a trace from a request into workflows and their activities. */
  plugin: OpenTelemetryPlugin;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/**
 * Sends OpenTelemetry traces to TRACES_URL (OTLP over HTTP), or returns null where none is set; nothing of OpenTelemetry is loaded then.
 * A caller's `traceparent` is continued, but whether a trace is kept is decided by TRACES_RATIO alone, not by callers.
 */
export async function startTracing(env: Env, service: 'api' | 'worker'): Promise<Tracing | null> {
  if (!env.TRACES_URL) return null;
  const [{ OTLPTraceExporter }, { Resource }, sdk, { OpenTelemetryPlugin }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
    import('@temporalio/interceptors-opentelemetry'),
  ]);
  const resource = new Resource({ 'service.name': `campaign-${service}` });
  const spanProcessor = new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url: env.TRACES_URL }), { scheduledDelayMillis: 1000 });
  const ratio = new sdk.TraceIdRatioBasedSampler(env.TRACES_RATIO);
  const sampler = new sdk.ParentBasedSampler({ root: ratio, remoteParentSampled: ratio, remoteParentNotSampled: ratio });
  const provider = new sdk.NodeTracerProvider({ resource, sampler, spanProcessors: [spanProcessor] });
  provider.register();
  return { plugin: new OpenTelemetryPlugin({ resource, spanProcessor }), stop: () => provider.shutdown() };
}
