import type { FastifyInstance } from 'fastify';
import { copyMailing } from '../../core/mailings/copy-mailing.ts';
import { InputError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { readBoolean } from '../../domain/values.ts';
import type { ApiContext } from '../deps.ts';
import { withLocation } from '../resource/answers.ts';
import { idOf } from '../resource/routes.ts';
import { booleanTaken } from '../resource/taken.ts';
import { inTransaction } from '../resource/write.ts';
import { mailingRoute, REFUSED, readKeys } from './action-route.ts';

/** POST /rest/v1/mailer/{id}/copy/. */
export function registerCopy(app: FastifyInstance, context: ApiContext): void {
  const options = mailingRoute(
    'mailer:write',
    'Make a copy: a draft of its own, of any mailing',
    { 201: withLocation('Copied; Location is the new mailing.'), 400: REFUSED },
    {
      body: {
        type: ['object', 'null'],
        properties: {
          targeting: { ...booleanTaken('Whether the targeting is copied.'), default: true },
          keep_test_group: { ...booleanTaken('Whether the copy stays in the test group of the mailing.'), default: false },
        },
        additionalProperties: false,
      },
    },
  );
  app.post('/rest/v1/mailer/:id/copy/', options, async (request, reply) => {
    const body = readKeys(request.body, ['targeting', 'keep_test_group']);
    const keep = {
      targeting: readFlag('targeting', body.targeting, true),
      testGroup: readFlag('keep_test_group', body.keep_test_group, false),
    };
    const copied = await inTransaction(context, (_em, sql) => copyMailing(sql, idOf(request), keep));
    return reply
      .code(201)
      .header('location', context.env.BASE_URL + uriOf('mailer', copied))
      .send();
  });
}

function readFlag(name: string, value: unknown, fallback: boolean): boolean {
  try {
    return value === undefined || value === null ? fallback : readBoolean(value);
  } catch (error) {
    throw new InputError({ [name]: `${name} ${(error as Error).message}.` });
  }
}
