import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { mailingUsing, writeMergefile } from '../../core/mailings/mergefile-rows.ts';
import { once } from '../../core/once.ts';
import { InputError } from '../../domain/errors.ts';
import { uriOf } from '../../domain/uris.ts';
import { Mergefile } from '../../entities/mailings/mergefile.ts';
import type { ApiContext } from '../deps.ts';
import { IDEMPOTENCY_KEY, repeatableForm } from '../idempotency-key.ts';
import { inTransaction } from '../in-transaction.ts';
import { FileTooLargeError, withForm } from '../plugins/forms.ts';
import { unpacked } from '../plugins/packed-files.ts';
import { COMMON, validationBody, withLocation } from '../resource/answers.ts';
import { resource } from '../resource/declare.ts';
import { EXACT, SINCE, TIMES } from '../resource/operators.ts';
import { can, requires } from '../route-options.ts';
import { inStagingTurn } from '../users/upload-form.ts';
import { arriving } from '../validation/takes.ts';

const readonly = { readonly: true };

/** Merge files; POST takes a form with a file and is a route of its own. */
export const mergefile = resource({
  name: 'mergefile',
  about: 'a file with a row of values for each of some people',
  area: 'Mailer',
  entity: Mergefile,
  fields: {
    filename: readonly,
    status: readonly,
    row_count: {
      ...readonly,
      help: 'People it has a row for; of a file sent without the grant user:read, the rows that may be somebody’s.',
    },
    lookup_column: { ...readonly, help: 'The column that says whose a row is.' },
    columns: { ...readonly, help: 'Names templates show as row.name.', schema: { type: 'array', items: { type: 'string' } } },
    error: { ...readonly, help: 'What was left out of the file and why; empty when nothing was.' },
  },
  filtering: { id: SINCE, name: 'all', filename: 'all', status: EXACT, created_at: TIMES, updated_at: TIMES },
  ordering: ['name', 'created_at', 'updated_at'],
  methods: ['list', 'get', 'update', 'delete'],
  hooks: {
    // A mailing narrowed to the file would be left without its narrowing, or be sent without its values.
    beforeDelete: async ({ sql, id }) => {
      const used = await mailingUsing(sql, id);
      if (used !== null) throw new InputError({ id: `Mailing ${used} uses this file.` });
    },
  },
});

/** `POST /rest/v1/mergefile/`: a multipart form with the file, and a name if it is to have another than the file's. */
export function registerMergefileUpload(app: FastifyInstance, context: ApiContext): void {
  const { env } = context;
  app.register(async (scope) => {
    await scope.register(multipart, { limits: { fileSize: env.MERGEFILE_LIMIT, files: 1, fields: 5, fieldSize: 1000 } });
    const schema = {
      tags: ['Mailer'],
      summary: 'Upload a merge file',
      description:
        'CSV in UTF-8, or parted by tabs or semicolons, as it is or packed by gzip or as the one file of a ZIP archive, the first line with the names of the columns, one of them email, user_id or akid: it says whose a row is. Rows that name nobody ' +
        'are left out; of two rows for one person the last counts.',
      consumes: ['multipart/form-data'],
      headers: IDEMPOTENCY_KEY,
      body: arriving({
        type: 'object',
        required: ['file'],
        properties: { name: { type: 'string' }, file: { type: 'string', format: 'binary' } },
      }),
      response: { 201: withLocation('Loaded.'), 400: validationBody('mergefile'), ...COMMON },
    };
    const options = { ...requires('mergefile:write', { resource: 'mergefile' }), schema };
    scope.post('/rest/v1/mergefile/', options, async (request, reply) => {
      const id = await takeIn(context, request, reply);
      return reply
        .code(201)
        .header('location', env.BASE_URL + uriOf('mergefile', id))
        .send();
    });
  });
}

/** Received whole first, so that no connection waits with the caller. @returns the id of the new merge file */
async function takeIn(context: ApiContext, request: FastifyRequest, reply: FastifyReply): Promise<number> {
  const { env } = context;
  if (!request.isMultipart()) throw new InputError({ file: 'A multipart form with a file is required.' });
  let received = false;
  try {
    return await withForm(request, env.DATA_DIR, async ({ fields, file }) => {
      received = true;
      if (!file) throw new InputError({ file: 'The form has no file.' });
      const filename = file.filename.slice(0, 255);
      const { name: given = '' } = fields;
      if (typeof given !== 'string') throw new InputError({ name: 'name must be text.' });
      const name = (given.trim() || filename).slice(0, 255);
      if (/\0/.test(name + filename)) throw new InputError({ name: 'name must not hold a NUL character.' });
      return inStagingTurn(context, { request, reply }, async () => {
        const { content } = await unpacked(file, env.MERGEFILE_LIMIT);
        const form = { name, filename, content, mayReadPeople: can(request, 'user:read') };
        const again = await repeatableForm(request, { name }, file);
        return inTransaction(context, (_em, sql) => once(sql, again, () => writeMergefile(sql, form, env.SECRET_KEY)));
      });
    });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (error instanceof FileTooLargeError) throw new InputError({ file: 'The file is too large.' });
    // Before, nothing but the form is read: what fails is its fault, or that of this machine, which names the call.
    if (received || error instanceof InputError || 'syscall' in (error as Error)) throw error;
    if (code === 'FST_REQ_FILE_TOO_LARGE') throw new InputError({ file: 'The file is too large.' });
    throw new InputError({ file: `The form cannot be read: ${message}` });
  }
}
