import type { FastifyInstance } from 'fastify';
import { copyMailing } from '../../core/mailings/copy-mailing.ts';
import { once } from '../../core/once.ts';
import { uriOf } from '../../domain/uris.ts';
import { readBody, readBoolean } from '../../domain/values.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatable } from '../idempotency-key.ts';
import { inTransaction } from '../in-transaction.ts';
import { withLocation } from '../resource/answers.ts';
import { idOf } from '../resource/routes.ts';
import { booleanTaken, orNull } from '../validation/takes.ts';
import { mailingRoute, onlyFields, REFUSED } from './action-route.ts';

/** POST /rest/v1/mailer/{id}/copy/. */
export function registerCopy(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute(
    'mailer:write',
    'Make a copy: a draft of its own, of any mailing',
    { 201: withLocation('Copied; Location is the new mailing.'), 400: REFUSED },
    {
      forms: true,
      headers: IDEMPOTENCY_KEY,
      body: onlyFields({
        targeting: booleanTaken('Whether the targeting is copied: yes, unless given.', orNull(readBoolean)),
        keep_test_group: booleanTaken('Whether the copy stays in the test group of the mailing: no, unless given.', orNull(readBoolean)),
      }),
    },
  );
  app.post('/rest/v1/mailer/:id/copy/', options, async (request, reply) => {
    const { targeting, keep_test_group: testGroup } = readBody(request.body);
    const keep = { targeting: readBoolean(targeting ?? true), testGroup: readBoolean(testGroup ?? false) };
    const copied = await inTransaction(context, (_em, sql) => once(sql, repeatable(request), () => copyMailing(sql, idOf(request), keep)));
    return reply
      .code(201)
      .header('location', context.env.BASE_URL + uriOf('mailer', copied))
      .send();
  });
}
