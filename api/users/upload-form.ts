import type { FastifyReply, FastifyRequest } from 'fastify';
import { InputError } from '../../domain/errors.ts';
import type { ApiContext } from '../deps.ts';
import { FileTooLargeError, type SentFile, withForm } from '../plugins/forms.ts';
import { unpacked } from '../plugins/packed-files.ts';
import { Slots } from '../slots.ts';

/** Files written to the database side by side: each holds a connection for as long as that takes, and the rest of the API needs some. */
const MOST_STAGED = 2;
/** Those that wait for their turn hold nothing. */
const STAGING_WAIT_MS = 600_000;

const slotsOf = new WeakMap<ApiContext, Slots>();

function stagingSlots(context: ApiContext): Slots {
  const most = Math.max(1, Math.min(MOST_STAGED, Math.floor(context.env.DATABASE_POOL / 2)));
  const slots = slotsOf.get(context) ?? new Slots(most, STAGING_WAIT_MS, 'uploads are being taken in');
  slotsOf.set(context, slots);
  return slots;
}

/**
 * Does `work` when there is room for one more file on its way into the database, for who may still send one by then.
 * @throws UnavailableError, CredentialsError, PermissionError
 */
export async function inStagingTurn<Result>(
  context: ApiContext,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  work: () => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const hungUp = () => gone.abort(new InputError({ upload: 'The caller hung up.' }));
  if (reply.raw.closed) hungUp();
  else reply.raw.once('close', hungUp);
  const release = await stagingSlots(context).take(request.account!.id, gone.signal);
  try {
    await request.server.admitAgain(request, reply);
    return await work();
  } finally {
    release();
  }
}

/**
 * Receives a form with a file of people whole, and does `work` with it, unpacked. Fields may come before or after the file.
 * @param most bytes of what is in it
 * @throws InputError, with what is wrong with the file under `upload`
 */
export async function withUploadForm<Result>(
  { env }: ApiContext,
  request: FastifyRequest,
  work: (fields: Record<string, unknown>, file: SentFile) => Promise<Result>,
  most = env.UPLOAD_LIMIT,
): Promise<Result> {
  if (!request.isMultipart()) throw new InputError({ upload: 'A multipart form with a file is required.' });
  try {
    return await withForm(request, env.DATA_DIR, async ({ fields, file }) => {
      if (!file) throw new InputError({ upload: 'A file is required.' });
      return work(fields, await unpacked(file, most));
    });
  } catch (error) {
    if (error instanceof FileTooLargeError) throw new InputError({ upload: 'The file is too large.' });
    if (isOfForm(error)) throw new InputError({ upload: 'The form cannot be read as multipart/form-data.' });
    throw error instanceof InputError ? renamed(error) : error;
  }
}

/** What the reader of forms throws for a form that is cut off or has no usable boundary: errors that only their text tells apart. */
const isOfForm = (error: unknown) =>
  /multipart|^The needle cannot/i.test((error as Error).message) && !Object.hasOwn(error as Error, 'code');

/** What is said of the file stands under the name it is sent in. */
const renamed = ({ fields: { file, ...rest } }: InputError) => new InputError(file ? { upload: file, ...rest } : rest);
