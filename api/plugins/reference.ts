import { hash } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { open } from '../route-options.ts';

/**
 * The interactive page of the API at /docs/, which needs nothing from elsewhere. Its script is large, and what makes it much for an API process to load
 * at its start: both are made when somebody first looks at it.
 * @param documentPath where the OpenAPI document is
 */
export function installReference(app: FastifyInstance, documentPath: string): void {
  let made: Promise<Reference> | undefined;
  const reference = () => {
    made ??= makeReference(documentPath).catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  // A page, not part of the API.
  const options = { ...open(), schema: { hide: true } as object };
  app.get('/docs/', options, async (request, reply) => {
    if (!request.url.split('?')[0]!.endsWith('/')) return reply.redirect('/docs/', 301);
    const { page, policy } = await reference();
    return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(page);
  });
  app.get('/docs/js/scalar.js', options, async (_request, reply) =>
    reply.type('application/javascript; charset=utf-8').send((await reference()).script),
  );
}

interface Reference {
  page: string;
  /** Its content security policy. */
  policy: string;
  script: Buffer;
}

/** As the library's own plugin gives them out. */
async function makeReference(documentPath: string): Promise<Reference> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(apiReference, {
    routePrefix: '/docs',
    configuration: { url: documentPath, pageTitle: 'Campaign platform: the API', ...QUIET } as never,
  });
  const [{ payload }, { rawPayload: script }] = await Promise.all([app.inject('/docs/'), app.inject('/docs/js/scalar.js')]);
  // It is read aloud in the language it says, and it says none.
  const page = payload.replace('<html>', '<html lang="en">');
  return { page, policy: policyOf(page), script };
}

/** The page calls nobody but this service: its buttons for services of its maker are off. */
const QUIET = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
};

/** What a page of the documentation may load, so that a version of it that calls home after all is stopped by the browser. */
function policyOf(html: string): string {
  const inline = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].flatMap(([, text = '']) =>
    text.trim() === '' ? [] : [`'sha256-${hash('sha256', text, 'base64')}'`],
  );
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inline].join(' '),
    // The page writes styles as it goes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
