import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, read, write, writev } from 'node:fs';
import { mkdir, open, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';

/** A multipart form that has arrived. */
export interface Form {
  fields: Record<string, unknown>;
  file: SentFile | null;
}

export interface SentFile {
  /** Empty where none was sent. */
  filename: string;
  bytes: number;
  /** From its beginning, or from one byte to another, that one too. */
  content(from?: number, to?: number): Readable;
  /** Of what was sent, packed or not. */
  digest(): Promise<string>;
}

/** The file is longer than the route takes. */
export class FileTooLargeError extends Error {}

/**
 * Receives a multipart form with at most one file, and does `work` with it. Callers may take minutes to send one: it is received whole before `work`
 * begins, so that no database connection waits with them, and on disk, so that no memory does. The file has no name there: nothing is left of it when
 * `work` is over, or when the process is killed.
 * @param dataDir DATA_DIR
 * @throws FileTooLargeError; what the reader of forms says of one it cannot read; what the disk fails with
 */
export async function withForm<Result>(request: FastifyRequest, dataDir: string, work: (form: Form) => Promise<Result>): Promise<Result> {
  const folder = join(dataDir, 'uploads');
  await mkdir(folder, { recursive: true });
  const path = join(folder, randomUUID());
  const disk = await open(path, 'wx+', 0o600);
  // By its number: streams made by the handle keep it from closing until each has ended. One that fails would close it; it is closed once, below.
  const close = (_fd: number, done: (error?: Error | null) => void) => done(null);
  const opened = { fd: disk.fd, autoClose: false, start: 0, fs: { read, write, writev, close } };
  const gone = new AbortController();
  let written: Promise<void> = Promise.resolve();
  try {
    await unlink(path);
    const form: Form = { fields: Object.create(null), file: null };
    const receive = async () => {
      for await (const part of request.parts()) {
        if (part.type === 'field') form.fields[part.fieldname] = part.value;
        else {
          written = pipeline(part.file, createWriteStream(path, opened), gone);
          await written;
          if (part.file.truncated) throw new FileTooLargeError();
          // One of bytes need not have a name, whatever its type says.
          const { size: bytes } = await disk.stat();
          const content = (start = 0, end = Number.POSITIVE_INFINITY) => createReadStream(path, { ...opened, start, end });
          form.file = { filename: part.filename ?? '', bytes, content, digest: () => digestOf(content()) };
        }
      }
    };
    // The reader of forms does not hear of callers who hung up before it began, and would wait for ever.
    await Promise.race([receive(), cutOff(request.raw)]);
    return await work(form);
  } finally {
    // What still came in is not written any more: by then another file may have the number.
    gone.abort();
    await written.catch(() => {});
    // Of a disk that fails as it is left nothing is asked any more: whatever came of it is done by now.
    await disk.close().catch(() => {});
  }
}

async function digestOf(content: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of content) hash.update(piece);
  return hash.digest('base64url');
}

/** Rejects when the caller is gone before all was read that they sent: of what had come by then nothing more can be read. */
function cutOff(raw: IncomingMessage): Promise<never> {
  return new Promise((_, reject) => {
    const look = () => raw.readableEnded || reject(new Error('The multipart form was cut off.'));
    if (raw.destroyed) look();
    else raw.once('close', look);
  });
}
