import type { FastifyInstance } from 'fastify';
import { InputError, NotFoundError } from '../../domain/errors.ts';
import { TARGETING_STATE_FIELDS } from '../../domain/targeting/change.ts';
import type { Sql } from '../../entities/sql.ts';
import type { ApiContext } from '../deps.ts';
import { withLocation } from '../resource/answers.ts';
import { uriOf } from '../resource/reference.ts';
import { idOf } from '../resource/routes.ts';
import { readBoolean } from '../resource/values.ts';
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
          targeting: { type: 'boolean', default: true, description: 'Whether the targeting is copied.' },
          keep_test_group: { type: 'boolean', default: false, description: 'Taken and without effect: there are no test groups here.' },
        },
        additionalProperties: false,
      },
    },
  );
  app.post('/rest/v1/mailer/:id/copy/', options, async (request, reply) => {
    const body = readKeys(request.body, ['targeting', 'keep_test_group']);
    const targeting = readFlag('targeting', body.targeting, true);
    readFlag('keep_test_group', body.keep_test_group, false);
    const copied = await inTransaction(context, (_em, sql) => copyMailing(sql, idOf(request), targeting));
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

/** What a copy takes over. Where the original stands, its saved set and its schedule are its own. */
const COPIED = [
  'notes',
  'html',
  'text',
  'fromline_id',
  'custom_fromline',
  'reply_to',
  'emailwrapper_id',
  'lang_id',
  'landing_page_id',
  'mergefile_id',
  'web_viewable',
  'fields',
  'rebuild_query_at_send',
  'proof_users',
  'requested_proofs',
  'submitter_id',
];

async function copyMailing(sql: Sql, id: number, targeting: boolean): Promise<number> {
  const columns = [...COPIED, ...(targeting ? TARGETING_STATE_FIELDS : [])].map((column) => `"${column}"`).join(', ');
  const [made] = await sql<{ id: number }>(
    `insert into core_mailing (${columns}) select ${columns} from core_mailing where id = $1 returning id`,
    [id],
  );
  if (!made) throw new NotFoundError();
  await sql(
    `insert into core_mailingsubject (mailing_id, position, text, preview_text)
     select $2::int, position, text, preview_text from core_mailingsubject where mailing_id = $1`,
    [id, made.id],
  );
  await sql('insert into core_mailing_tags (mailing_id, tag_id) select $2::int, tag_id from core_mailing_tags where mailing_id = $1', [
    id,
    made.id,
  ]);
  await sql(
    'insert into core_mailing_reviewers (mailing_id, user_id) select $2::int, user_id from core_mailing_reviewers where mailing_id = $1',
    [id, made.id],
  );
  return made.id;
}
