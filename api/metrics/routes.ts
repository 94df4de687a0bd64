import type { FastifyInstance } from 'fastify';
import { Gauge, Histogram, register as ofProcess, Registry } from 'prom-client';
import type { Pool } from '../../db/driver.ts';
import { sqlOn } from '../../db/sql.ts';
import { inTime } from '../../domain/in-time.ts';
import type { ApiContext } from '../deps.ts';
import { COMMON } from '../resource/answers.ts';
import { requires } from '../route-options.ts';
import { measureMailings } from './mailings.ts';

const TEXT = { description: 'Metrics.', content: { 'text/plain': { schema: { type: 'string' } } } };

/** For the database: Prometheus waits ten seconds for all of a scrape. */
const PATIENCE_MS = 5_000;

/** Seconds. Wide: a page of users and a report that runs for two minutes are on it. */
const LATENCY = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 120];

/**
 * GET /metrics, in the format of Prometheus: mailings under way, latency by route, pool use, and the process (heap, event loop). Who may read mailings may
 * read it; Prometheus brings its credentials (`basic_auth`). Numbers and names of routes only.
 * Call it before the routes it measures are registered.
 */
export function installMetrics(app: FastifyInstance, { pool, env }: ApiContext): void {
  const registry = new Registry();
  const latency = new Histogram({
    name: 'campaign_http_request_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: LATENCY,
    registers: [registry],
  });
  // Looked up by one key of ours: finding the series of three labels is half of what observing costs.
  const series = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const labels = { method, route: routeOptions.url ?? 'none', status: reply.statusCode };
    const key = `${labels.status} ${method} ${labels.route}`;
    const one = series.get(key) ?? latency.labels(labels);
    series.set(key, one);
    one.observe(reply.elapsedTime / 1000);
    done();
  });
  measurePool(registry, pool);
  const mailings = measureMailings(registry, sqlOn(pool), env.SEND_LEASE_SECONDS);

  const schema = {
    tags: ['Health'],
    summary: 'Metrics in the format of Prometheus',
    response: { 200: TEXT, 401: COMMON[401], 403: COMMON[403] },
  };
  let reading: Promise<number> | null = null;
  app.get('/metrics', { ...requires('mailer:read', { whileAway: true }), schema }, async (_request, reply) => {
    // A database that is away is a fact about the platform as well: what this process knows by itself is still told. One that is silent is asked no more than once at a time.
    reading ??= mailings
      .read()
      .then(
        () => 1,
        () => 0,
      )
      .finally(() => {
        reading = null;
      });
    const up = await inTime(reading, PATIENCE_MS, 0);
    databaseUp.set(up);
    if (!up) mailings.forget();
    return reply.type(registry.contentType).send(await Registry.merge([registry, ofProcess]).metrics());
  });
  const databaseUp = new Gauge({ name: 'campaign_database_up', help: '1: the database answered this scrape', registers: [registry] });
}

function measurePool(registry: Registry, pool: Pool): void {
  new Gauge({
    name: 'campaign_pool_connections',
    help: 'Connections to PostgreSQL of this process, and callers waiting for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}
