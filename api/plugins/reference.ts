import { hash } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { open } from '../route-options.ts';

/**
 * The interactive page of the API at /docs/, which needs nothing from elsewhere. Its script is 4 MB and what it brings with it a seventh of all that an API process
 * would load at its start: it is an application of its own, made when somebody first looks at it.
 * @param documentPath where the OpenAPI document is
 */
export function installReference(app: FastifyInstance, documentPath: string): void {
  let page: Promise<FastifyInstance> | undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    page ??= makePage(documentPath);
    const { statusCode, headers, payload } = await (await page).inject(request.url);
    const type = String(headers['content-type'] ?? 'text/plain');
    if (headers.location) reply.header('location', headers.location);
    if (type.startsWith('text/html')) reply.header('content-security-policy', policyOf(payload));
    return reply.code(statusCode).type(type).send(payload);
  };
  // A page, not part of the API.
  const options = { ...open(), schema: { hide: true } as object };
  for (const url of ['/docs/', '/docs/js/scalar.js']) app.get(url, options, show);
}

async function makePage(documentPath: string): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(apiReference, { routePrefix: '/docs', configuration: { url: documentPath, ...QUIET } as never });
  return page;
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
