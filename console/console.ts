import { createHmac } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { cookieOptions, NOBODY, page, sessionOf } from '../api/accounts/session.ts';
import type { ApiContext } from '../api/deps.ts';
import { NotFoundError } from '../domain/errors.ts';
import { registerAccounts } from './accounts/accounts.ts';
import { registerAssets } from './assets.ts';
import { registerAudienceForm } from './audience/audience-form.ts';
import { registerAudiencePage } from './audience/audience-page.ts';
import { registerChoosing } from './audience/choosing.ts';
import { registerKeptAudiences } from './audience/kept-audiences.ts';
import { registerDonationsPage } from './donations/donations-page.ts';
import { answerErrorsWithPages } from './error-page.ts';
import { registerHealthPage } from './health/health-page.ts';
import { registerHomePage } from './home/home-page.ts';
import { FORM_COOKIE } from './layout.ts';
import { registerLogin } from './login.ts';
import { registerMailingActions } from './mailings/actions.ts';
import { registerConfirmations } from './mailings/confirm.ts';
import { registerMailingList } from './mailings/mailing-list.ts';
import { registerMailingPage } from './mailings/mailing-page.ts';
import { registerPreview } from './mailings/preview.ts';
import { registerRecipientPages } from './mailings/recipients-page.ts';
import { registerSchedulePage } from './mailings/schedule-page.ts';
import { registerSettling } from './mailings/settling.ts';
import { registerPeople } from './people/people.ts';
import { policyOf } from './policy.ts';
import { registerReportPages } from './reports/report-pages.ts';
import { registerResultFiles } from './results/files.ts';
import { registerResultsPage } from './results/results-page.ts';
import { registerWebhookPages } from './webhooks/webhook-pages.ts';
import { registerWhipcountPages } from './whipcounts/whipcount-pages.ts';
import { registerEditPages } from './write/edit-page.ts';
import { registerLinksPage } from './write/links-page.ts';
import { registerLivePreview } from './write/live-preview.ts';

const HEADERS = {
  'content-security-policy': policyOf(),
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

/** What pages below a path show, whatever they do, and the grant to read it. */
const SHOWN_BELOW = [
  ['/console/mailings/:id/', 'mailer:read'],
  ['/console/lists/', 'list:read'],
] as const;

const formField = ({ body }: FastifyRequest): string => {
  const given = (body as { _csrf?: unknown } | null)?._csrf;
  return typeof given === 'string' ? given : '';
};

/** The pages under /console/ for the people who send mailings. They do what the API's routes do, by the same functions. */
export async function installConsole(app: FastifyInstance, context: ApiContext): Promise<void> {
  const { env } = context;
  await app.register(async (pages) => {
    pages.addHook('onRoute', (route) => {
      // Pages, not part of the API: they stand in no OpenAPI document.
      route.schema = { ...route.schema, hide: true } as never;
      if (route.method === 'POST') route.config = { ...route.config, forms: true };
      // Whoever may send or write mailings, or write lists, may not read them by that: what asks once more, and what a form answers, shows them.
      const beside = SHOWN_BELOW.find(([path]) => route.url.startsWith(path))?.[1];
      if (beside && route.config?.permission !== beside) route.config = { ...route.config, beside };
    });
    pages.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS));
    await pages.register(fastifyCookie);
    await pages.register(csrfProtection, {
      cookieKey: FORM_COOKIE,
      getToken: formField,
      getUserInfo: sessionOf,
      csrfOpts: { userInfo: true, hmacKey: createHmac('sha256', env.SECRET_KEY).update('console forms').digest('hex') },
    });
    pages.decorate('consoleFormToken', (request, reply) => {
      // Not a strict one: a link elsewhere would come without it, and the one made then would end the forms that are open.
      const options = cookieOptions(request, env.BASE_URL);
      const session = sessionOf(request);
      if (session !== NOBODY && !request.cookies[FORM_COOKIE]) {
        // Made of the session: of pages that are opened at once each would be given its own, and the last one's would end the forms of the others.
        const secret = createHmac('sha256', env.SECRET_KEY).update(`console forms of ${session}`).digest('base64url');
        request.cookies[FORM_COOKIE] = secret;
        reply.setCookie(FORM_COOKIE, secret, options);
      }
      return reply.generateCsrf({ ...options, userInfo: session });
    });
    // Every form there is or will be; one with a file once it has arrived.
    pages.addHook('preValidation', (request, reply, done) => {
      const { fileForm, ownForm } = request.routeOptions.config;
      if (request.method === 'POST' && !ownForm && !(fileForm && request.isMultipart())) pages.csrfProtection(request, reply, done);
      else done();
    });
    pages.decorate(
      'consoleFormIsOurs',
      (request, reply) =>
        new Promise<void>((resolve, reject) => {
          // What it refuses it would send itself; whoever waits for the form has to end first.
          const refusing = Object.create(reply, { send: { value: reject } }) as typeof reply;
          pages.csrfProtection(request, refusing, () => resolve());
        }),
    );
    answerErrorsWithPages(pages, context);
    registerAssets(pages);
    // Who opens the bare address in a browser wants a page.
    pages.get('/', page(null), (_request, reply) => reply.redirect('/console/', 303));
    registerLogin(pages, context);
    registerHomePage(pages, context);
    registerHealthPage(pages, context);
    registerDonationsPage(pages, context);
    registerWhipcountPages(pages, context);
    registerReportPages(pages, context);
    registerMailingList(pages, context);
    registerEditPages(pages, context);
    registerLivePreview(pages, context);
    registerLinksPage(pages, context);
    registerAudienceForm(pages, context);
    registerChoosing(pages, context);
    registerKeptAudiences(pages, context);
    registerSchedulePage(pages, context);
    registerMailingPage(pages, context);
    registerAudiencePage(pages, context);
    registerMailingActions(pages, context);
    registerConfirmations(pages, context);
    registerSettling(pages, context);
    registerPreview(pages, context);
    registerRecipientPages(pages, context);
    registerResultsPage(pages, context);
    registerWebhookPages(pages, context);
    registerResultFiles(pages, context);
    registerPeople(pages, context);
    registerAccounts(pages, context);
    pages.get('/console/*', page(null), () => {
      throw new NotFoundError();
    });
  });
}
