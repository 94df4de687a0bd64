import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, register } from 'prom-client';
import { type Env, needed } from '../config/env.ts';
import { followCertificates } from '../config/follow-certificates.ts';
import { converting } from '../config/payload-codec.ts';
import { RenewableConnection } from '../config/renewable-connection.ts';
import { temporalConnection } from '../config/temporal.ts';
import { startTracing } from '../config/tracing.ts';
import { loadGrammar } from '../core/reports/prepare.ts';
import { createPool } from '../db/pool.ts';
import { reportDatabaseUrl } from '../db/report-login.ts';
import { commitLimits } from '../db/uncertain-commit.ts';
import { errorInLog } from '../domain/error-in-log.ts';
import { connectOrm } from '../entities/orm.ts';
import { build } from './app.ts';
import type { ApiDeps } from './deps.ts';
import { temporalWorkflows } from './plugins/workflows.ts';

export interface RunningApi {
  /** Where it listens. */
  url: string;
  /** Takes no new connections, answers what is under way, and ends. */
  stop(): Promise<void>;
}

/**
 * The API, listening on HOST and PORT. It starts while the database or the workflow service is away, and answers 503 until they are back.
 * @param pages what is served beside the API
 * @throws SettingError when DATABASE_URL or TEMPORAL_ADDRESS is missing
 */
export async function serve(env: Env, logger: FastifyBaseLogger, pages: ApiDeps['pages']): Promise<RunningApi> {
  const { DATABASE_URL } = needed(env, 'DATABASE_URL', 'TEMPORAL_ADDRESS');
  // What it is refused for is said now, not to the first who asks for a report.
  reportDatabaseUrl(env);
  collectDefaultMetrics();
  const connection = new RenewableConnection(temporalConnection(env));
  const certificates = followCertificates(env, logger, (place) => connection.renew(place));
  const tracing = await startTracing(env, 'api');
  const plugins = tracing ? [tracing.plugin] : [];
  const workflows = temporalWorkflows(new Client({ connection, namespace: env.TEMPORAL_NAMESPACE, plugins, ...converting(env) }), logger);
  // The first to give a statement would hold the others meanwhile.
  await loadGrammar();
  const orm = await connectOrm({ ...env, DATABASE_URL });
  const onLost = (error: Error) => logger.warn({ error: error.message }, 'an idle database connection was lost');
  const pool = createPool(DATABASE_URL, env.DATABASE_POOL, { onLost, ...commitLimits(env) });
  const ending = new AbortController();
  const app = await build({
    env,
    orm,
    pool,
    workflows,
    pages,
    ending: ending.signal,
    logger: logger.child({}, { serializers: { req: shown, err: (error) => errorInLog(error) } }),
  });
  const url = await app.listen({ host: env.HOST, port: env.PORT });
  // With PORT=0 the port is known only now.
  if (env.BASE_URL.endsWith(':0')) env.BASE_URL = url;
  return {
    url,
    async stop() {
      ending.abort();
      await sleep(env.API_DRAIN_SECONDS * 1000);
      await app.close();
      certificates.stop();
      register.clear();
      await Promise.all([pool.end(), orm.close(true), connection.close(), tracing?.stop()]);
    },
  };
}

/** What the log says of a request: its route, never its query or body, which hold people's addresses. */
const shown = (request: FastifyRequest) => ({ method: request.method, route: request.routeOptions?.url ?? 'none' });
