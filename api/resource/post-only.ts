import type { FastifyInstance } from 'fastify';
import { requires } from '../route-options.ts';
import { COMMON } from './answers.ts';
import { methodsAt } from './offered.ts';
import { DEFAULT_LIMIT } from './query.ts';
import { DOCUMENT, SCHEMA_WORDS } from './routes.ts';

/** What is only posted to, such as `/rest/v1/eraser/`, and has no objects. */
interface PostOnly {
  url: string;
  permission: string;
  body: Body;
}

interface Body {
  required?: readonly string[];
  properties?: Record<string, { type?: string; 'x-takes'?: string; description?: string; default?: unknown }>;
}

const COLLECTION = /^\/rest\/v1\/[a-z]+\/$/;

/**
 * Documents at `schema/` for what is only posted to, as every resource has one: clients ask there for the methods of whatever they are about to call, and take a 404 for
 * its absence (django-actionkit-client).
 * @returns to be called when all other routes are registered
 */
export function documentPostOnly(app: FastifyInstance): () => void {
  const found: PostOnly[] = [];
  app.addHook('onRoute', ({ url, method, config, schema }) => {
    if (method === 'POST' && COLLECTION.test(url) && config?.permission)
      found.push({ url, permission: config.permission, body: schema?.body as Body });
  });
  return () => {
    for (const { url, permission, body } of found) {
      if (app.hasRoute({ method: 'GET', url: `${url}schema` })) continue;
      const name = url.split('/')[3]!;
      const schema = { ...SCHEMA_WORDS, tags: ['API'], summary: `Fields of ${name}`, response: { 200: DOCUMENT, ...COMMON } };
      app.get(`${url}schema/`, { ...requires(permission), schema }, () => ({
        allowed_detail_http_methods: [],
        allowed_list_http_methods: methodsAt(app, url),
        default_format: 'application/json',
        default_limit: DEFAULT_LIMIT,
        fields: fieldsOf(body),
        filtering: {},
        operators: {},
        ordering: [],
      }));
    }
  };
}

function fieldsOf({ properties = {}, required = [] }: Body): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, 'x-takes': kind, description, default: fallback }]) => [
      name,
      {
        type: type ?? kind ?? 'string',
        nullable: false,
        readonly: false,
        unique: false,
        blank: !required.includes(name),
        default: fallback ?? null,
        help_text: description ?? '',
      },
    ]),
  );
}
