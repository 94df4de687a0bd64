import type { FastifyInstance } from 'fastify';
import { presentUser } from '../../core/people/present-user.ts';
import { findPublicUser } from '../../core/people/public-user.ts';
import { sqlOn } from '../../db/sql.ts';
import { akid, answerAkid, readAnyAkid } from '../../domain/akid.ts';
import { NotFoundError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import type { ApiContext } from '../deps.ts';
import { empty, errorsBody, TOO_MANY } from '../resource/answers.ts';
import { open } from '../route-options.ts';

const TEXT = { type: 'string' };

/** `GET /rest/v1/userpublic/{akid}/`: what may be known of somebody by whoever has a link from their mail, or has sent in their address. */
export function registerUserPublic(app: FastifyInstance, { env, pool, guesses }: ApiContext): void {
  const schema = {
    tags: ['Public'],
    summary: 'Public view of a user',
    params: { type: 'object', required: ['akid'], properties: { akid: TEXT } },
    response: {
      200: {
        type: 'object',
        required: ['akid', 'token', 'lang', 'language', 'name'],
        properties: {
          akid: TEXT,
          token: TEXT,
          lang: { type: ['string', 'null'], format: 'uri-reference' },
          language: { type: 'object', required: ['iso_code', 'name'], properties: { iso_code: TEXT, name: TEXT } },
          name: TEXT,
        },
      },
      404: empty('Not an akid of this platform, or nobody.'),
      ...TOO_MANY,
      503: errorsBody('The database is away.'),
    },
  };
  app.get('/rest/v1/userpublic/:akid/', { ...open(), schema }, async (request) => {
    const given = (request.params as { akid: string }).akid;
    guesses.check(request, given);
    const named = readAnyAkid(env.SECRET_KEY, given);
    const present = named && (await presentUser(sqlOn(pool), named.userId));
    const person = present && (await findPublicUser(pool, present));
    if (!named || !person) throw new NotFoundError();
    return {
      akid: given,
      // Whoever has shown no mail's akid gets none.
      token: named.proven ? akid(env.SECRET_KEY, null, person.id) : answerAkid(env.SECRET_KEY, null, person.id),
      lang: person.lang_id === null ? null : uriOf('language', person.lang_id),
      language: { iso_code: person.iso_code ?? '', name: person.language ?? '' },
      name: `${person.first_name} ${person.last_name}`.trim(),
    };
  });
}
