import Fastify, { type FastifyInstance } from 'fastify';
import { Credentials } from '../core/accounts/credentials.ts';
import { DatabaseProbe } from '../db/probe.ts';
import { sqlOn } from '../db/sql.ts';
import { registerActions } from './actions/routes.ts';
import type { ApiContext, ApiDeps } from './deps.ts';
import { registerDonations } from './donations/routes.ts';
import { answerErrors, answerFrameworkError } from './errors.ts';
import { registerEventSearch } from './events/event-search.ts';
import { LongReads } from './long-reads.ts';
import { registerMailer } from './mailer/routes.ts';
import { installMetrics } from './metrics/routes.ts';
import { decodable } from './plugins/asked-path.ts';
import { installAudit } from './plugins/audit.ts';
import { installAuth } from './plugins/auth.ts';
import { installCallerGone } from './plugins/caller-gone.ts';
import { refuseUnconfirmed } from './plugins/confirmed-changes.ts';
import { installCutOffAnswers } from './plugins/cut-off-answers.ts';
import { installEndingConnections } from './plugins/ending-connections.ts';
import { installErrorBodies } from './plugins/error-bodies.ts';
import { installForwardedFor } from './plugins/forwarded-for.ts';
import { installSecurityHeaders, limits, securityHeaders } from './plugins/hardening.ts';
import { registerHealth } from './plugins/health.ts';
import { helpHeader, installHelp } from './plugins/help.ts';
import { installLargeAnswers } from './plugins/large-answers.ts';
import { overrideMethod } from './plugins/method-override.ts';
import { installOpenapi } from './plugins/openapi.ts';
import { installPipelining } from './plugins/pipelined.ts';
import { installOpenRateLimit, installRateLimit } from './plugins/rate-limit.ts';
import { installStalledAnswers } from './plugins/stalled-answers.ts';
import { installTraces } from './plugins/traces.ts';
import { installTransport } from './plugins/transport.ts';
import { installUnavailableLog } from './plugins/unavailable-log.ts';
import { installDraining } from './plugins/unread-bodies.ts';
import { AkidGuesses } from './public/akid-guesses.ts';
import { registerThanks } from './public/thanks.ts';
import { registerTracking } from './public/tracking.ts';
import { registerUnsubscribe } from './public/unsubscribe.ts';
import { registerUserPublic } from './public/user-public.ts';
import { registerWebView } from './public/web-view.ts';
import { registerBackgroundReports } from './reports/background.ts';
import { registerReportRuns } from './reports/run.ts';
import { documentPostOnly } from './resource/post-only.ts';
import { Registry } from './resource/registry.ts';
import { registerIndex, registerResource } from './resource/routes.ts';
import { elsewhere, resources } from './resources.ts';
import { registerCrmSync } from './sync/crm-routes.ts';
import { registerBounces } from './users/bounces.ts';
import { registerListDeletion } from './users/delete-list.ts';
import { registerEraser } from './users/eraser.ts';
import { registerLoginToken } from './users/login-token.ts';
import { registerUserMerge } from './users/merge.ts';
import { registerSentMail, SENT_MAIL_NAMES } from './users/sent-mail.ts';
import { registerUploads } from './users/upload.ts';
import { installValidation } from './validation/validator.ts';
import { registerWebhookRetry } from './webhooks/webhooks.ts';
import { registerGroupTargets } from './whipcounts/group-targets.ts';
import { registerPageTargets } from './whipcounts/page-targets.ts';
import { registerWhipcountPages } from './whipcounts/public-page.ts';

/** Node takes no longer head of a request. */
const LONGEST_ADDRESS = 16 * 1024;

/**
 * The whole API over what it is given. It never listens: a process does, a test injects.
 * @param onApp sees the application before any route is registered
 */
export async function build(deps: ApiDeps, onApp: (app: FastifyInstance) => void = () => {}): Promise<FastifyInstance> {
  const { env } = deps;
  const baseUrl = () => env.BASE_URL;
  const headersOf = securityHeaders(env.BASE_URL);
  const app = Fastify({
    ...(deps.logger ? { loggerInstance: deps.logger } : { logger: false }),
    bodyLimit: env.API_BODY_LIMIT,
    trustProxy: proxies(env.TRUST_PROXY),
    ...limits(env.REQUEST_TIMEOUT_SECONDS, (status) => ({ ...headersOf(null), ...helpHeader(null, status, env.BASE_URL) })),
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: LONGEST_ADDRESS },
    rewriteUrl: (raw) => decodable(overrideMethod(raw)),
    frameworkErrors: (error, request, reply) =>
      answerFrameworkError(error, reply as never, { ...headersOf(request as never), ...helpHeader(request as never, 400, env.BASE_URL) }),
  });
  const registry = new Registry(resources, deps.orm, elsewhere);
  const longReads = new LongReads(env, deps.pool, app.log);
  app.addHook('onClose', () => longReads.close());
  const context: ApiContext = {
    ...deps,
    credentials: new Credentials(sqlOn(deps.pool), env.ACCOUNT_CACHE_MS),
    database: new DatabaseProbe(deps.pool),
    guesses: new AkidGuesses(env.SECRET_KEY),
    longReads,
    registry,
  };

  if (env.TRUST_PROXY !== 'false') installForwardedFor(app);
  onApp(app);
  installPipelining(app);
  installCallerGone(app);
  if (env.TRACES_URL) installTraces(app);
  installSecurityHeaders(app, headersOf);
  installDraining(app, { bytes: env.UPLOAD_LIMIT, seconds: env.REFUSED_BODY_SECONDS });
  installStalledAnswers(app, env.STALLED_ANSWER_SECONDS);
  installEndingConnections(app);
  installCutOffAnswers(app);
  installTransport(app, env.CORS_ORIGINS);
  installUnavailableLog(app);
  answerErrors(app, baseUrl);
  installValidation(app);
  installLargeAnswers(app);
  await installRateLimit(app, env.RATE_LIMIT_PER_MINUTE);
  await installAuth(app, context.credentials, sqlOn(deps.pool));
  installOpenRateLimit(app, env.OPEN_RATE_LIMIT_PER_MINUTE);
  refuseUnconfirmed(app, context.database);
  installAudit(app, context);
  await installOpenapi(app, baseUrl, env.API_ERROR_BODIES === 'full');
  installHelp(app, baseUrl);
  if (env.API_ERROR_BODIES === 'full') installErrorBodies(app);
  const documentWhatIsLeft = documentPostOnly(app);
  registerHealth(app, context);
  installMetrics(app, context);
  registerIndex(app, registry, [...SENT_MAIL_NAMES]);
  for (const resource of registry.all()) registerResource(app, resource, context);
  registerMailer(app, context);
  registerCrmSync(app, context);
  registerActions(app, context);
  registerSentMail(app, context);
  registerLoginToken(app, context);
  registerDonations(app, context);
  registerUserMerge(app, context);
  registerEraser(app, context);
  registerListDeletion(app, context);
  registerBounces(app, context);
  registerUploads(app, context);
  registerUserPublic(app, context);
  registerUnsubscribe(app, context);
  registerThanks(app, context);
  registerTracking(app, context);
  registerWebView(app, context);
  registerReportRuns(app, context);
  registerBackgroundReports(app, context);
  registerGroupTargets(app, context);
  registerPageTargets(app, context);
  registerWhipcountPages(app, context);
  registerEventSearch(app, context);
  registerWebhookRetry(app, context);
  documentWhatIsLeft();
  await deps.pages?.(app, context);
  await app.ready();
  return app;
}

/** TRUST_PROXY as Fastify takes it. */
const proxies = (setting: string) => (setting === 'true' ? true : setting === 'false' ? false : setting);
