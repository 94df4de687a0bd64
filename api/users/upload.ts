import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { takeInUpload } from '../../core/people/take-in-upload.ts';
import { stopUpload } from '../../core/people/upload-status.ts';
import { sqlOn } from '../../db/sql.ts';
import { uriOf } from '../../domain/uris.ts';
import { Upload, UploadError } from '../../entities/people/import.ts';
import { startOf, workflowId } from '../../workflows/contracts.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatableForm } from '../idempotency-key.ts';
import { COMMON, empty, validationBody, withLocation } from '../resource/answers.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { ID_PARAMETER, idOf } from '../resource/routes.ts';
import { can, requires } from '../route-options.ts';
import { arriving, booleanTaken } from '../validation/takes.ts';
import { startSoon } from './start-soon.ts';
import { inStagingTurn, withUploadForm } from './upload-form.ts';

export const upload = resource({
  name: 'upload',
  about: 'a file of people, imported as actions of a page',
  area: 'Users',
  entity: Upload,
  fields: {
    status: { help: 'new, importing, completed, stopped, or died, which errors say the reason of.' },
    line_count: { help: 'Lines below the header.' },
    progress: { help: 'Lines that are done.' },
    is_completed: {
      kind: 'boolean',
      sql: `(t.status in ('completed', 'stopped', 'died'))`,
      help: 'Whether nothing more will be imported.',
    },
    has_errors: {
      // A number, as clients page through errors by it.
      kind: 'integer',
      sql: `(t.error_count + (t.status = 'died')::int)`,
      help: 'How many errors there are: of lines that could not be imported, and why it died, where it did.',
    },
    error_count: { help: 'Lines, of those that are done, that could not be imported.' },
    errors: {
      help: 'URI of what was wrong, line by line.',
      schema: { type: 'string', format: 'uri-reference' },
      show: ({ id }) => `/rest/v1/uploaderror/?upload=${id}`,
    },
    stop: {
      help: 'Where a POST stops it.',
      schema: { type: 'string', format: 'uri-reference' },
      show: ({ id }) => `${uriOf('upload', id as number)}stop/`,
    },
  },
  inside: ['stopRequested'],
  filtering: { id: SINCE, page: 'joins', status: EXACT, created_at: TIMES },
  ordering: ['created_at'],
  methods: ['list', 'get'],
  takes: ['page', 'autocreate_user_fields', 'user_fields_only'],
  job: { run: workflowId.importUpload, over: ({ status }) => status !== 'new' && status !== 'importing' },
});

export const uploaderror = resource({
  name: 'uploaderror',
  about: 'a line of an upload that could not be imported',
  area: 'Users',
  entity: UploadError,
  filtering: { id: SINCE, upload: EXACT, line: SINCE },
  ordering: ['line'],
  methods: ['list', 'get'],
  permission: 'upload',
});

/** `POST /rest/v1/upload/` and `POST /rest/v1/upload/{id}/stop/`. */
export function registerUploads(app: FastifyInstance, context: ApiContext): void {
  const { env, pool } = context;
  const refused = { 400: validationBody('upload'), ...COMMON };
  app.register(async (scope) => {
    await scope.register(multipart, { limits: { fileSize: env.UPLOAD_LIMIT, files: 1, fields: 10, fieldSize: 10_000 } });
    const schema = {
      tags: ['Users'],
      summary: 'Upload a CSV file of people',
      description:
        'Each line becomes an action on the page. Columns: email, user_id or akid, those of a user, name (first and last in one), their phones as for an action ' +
        '(phone with phone_type, home_phone, mobile_phone, work_phone …), user_<custom field>, action_<field>. A line with a user_id is ' +
        'about that user: an id of nobody, or beside an address that is not theirs, is an error of the line. ' +
        'An akid names a user as their id does, and takes the grant user:read.',
      consumes: ['multipart/form-data'],
      headers: IDEMPOTENCY_KEY,
      body: arriving({
        type: 'object',
        required: ['page', 'upload'],
        properties: {
          page: { type: 'string', description: 'URI, id or name of an import page.' },
          autocreate_user_fields: { ...booleanTaken('Declares custom user fields nobody declared.'), default: false },
          user_fields_only: {
            ...booleanTaken(
              'For a file of email, user_id or akid and custom user fields alone: its lines are no actions, and put nobody on a list.',
            ),
            default: false,
          },
          upload: {
            type: 'string',
            format: 'binary',
            description:
              'The file, CSV in UTF-8, or parted by tabs or semicolons; its first line names the columns. It may be packed: by gzip, or as the one file ' +
              'of a ZIP archive.',
          },
        },
      }),
      response: { 201: withLocation('Taken in; the import goes on by itself.'), ...refused },
    };
    scope.post('/rest/v1/upload/', { ...requires('upload:write', { resource: 'upload' }), schema }, async (request, reply) => {
      const id = await withUploadForm(context, request, (fields, file) => {
        const { filename, content } = file;
        const { page, autocreate_user_fields: autocreateUserFields, user_fields_only: userFieldsOnly } = fields;
        return inStagingTurn(context, { request, reply }, async () => {
          const secret = can(request, 'user:read') ? env.SECRET_KEY : null;
          const again = await repeatableForm(request, fields, file);
          return takeInUpload(pool, context, { page, autocreateUserFields, userFieldsOnly, filename, content, secret, again });
        });
      });
      await startSoon(context, request.log, startOf('importUpload', { jobId: id }));
      return reply
        .code(201)
        .header('location', env.BASE_URL + uriOf('upload', id))
        .send();
    });
  });

  const schema = {
    tags: ['Users'],
    summary: 'Stop an import; what is imported stays',
    params: ID_PARAMETER,
    response: { 202: empty('It stops after the lines it is at.'), 404: empty('Absent.'), ...refused },
  };
  app.post('/rest/v1/upload/:id/stop/', { ...requires('upload:write', { resource: 'upload' }), schema }, async (request, reply) => {
    await stopUpload(sqlOn(pool), idOf(request));
    return reply.code(202).send();
  });
}
