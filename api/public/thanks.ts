import type { FastifyInstance } from 'fastify';
import { isShownPage } from '../../core/pages/find-page.ts';
import { sqlOn } from '../../db/sql.ts';
import { NotFoundError } from '../../domain/errors.ts';
import type { ApiContext } from '../deps.ts';
import { empty } from '../resource/answers.ts';
import { open } from '../route-options.ts';
import { htmlPage } from './html-page.ts';

const RESPONSE = {
  200: { description: 'A page for people.', content: { 'text/html': { schema: { type: 'string' } } } },
  404: empty('No such page.'),
};
const PARAMS = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** `/thanks/<page name>/`: where an action on a page leads that says nowhere else. What is in its query is for clients' pages and is not looked at. */
export function registerThanks(app: FastifyInstance, { pool }: ApiContext): void {
  const schema = { tags: ['Public'], summary: 'Thanks for an action, for people', params: PARAMS, response: RESPONSE };
  app.get('/thanks/:name/', { ...open(), schema }, async (request, reply) => {
    const { name = '' } = request.params as { name?: string };
    if (!(await isShownPage(sqlOn(pool), name))) throw new NotFoundError();
    return reply
      .headers(HEADERS)
      .serializer((text: string) => text)
      .send(htmlPage('Thank you', 'We have received what you sent.', ''));
  });
}
