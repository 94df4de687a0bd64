import { isUtf8 } from 'node:buffer';
import { parse as parseForm } from 'node:querystring';
import { Busboy } from '@fastify/busboy';
import createError from '@fastify/error';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestError } from '../../domain/errors.ts';
import { tooDeep } from './json-depth.ts';

const WrongType = createError<[string]>('API_CONTENT_TYPE', 'This content type is not taken here. Taken: %s.', 415);

type Done = (error: Error | null, body?: unknown) => void;

/** How bodies are read. Called before any route is registered. */
export function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'ignore');
  app.removeAllContentTypeParsers();

  const readJson = (request: FastifyRequest, bytes: Buffer, done: Done): void => {
    // Decoded all the same, a name in another encoding would be stored with question marks in it.
    if (!isUtf8(bytes)) return void done(new RequestError({ body: 'This is not UTF-8.' }));
    const body = bytes.toString();
    // A client in the field sends a form under this type: only where forms are taken, and never what could be JSON.
    if (takesForms(request) && /^[^{["\s]/.test(body) && body.includes('=')) return void done(null, fields(body));
    const deep = tooDeep(body);
    if (deep) return void done(new RequestError({ body: deep }));
    parse(request, body, (error, value) => {
      if (error) done(new RequestError({ body: 'This is not JSON.' }));
      else done(null, value);
    });
  };
  const reader =
    (read: (request: FastifyRequest, bytes: Buffer, done: Done) => void) =>
    (request: FastifyRequest, bytes: string | Buffer, done: Done): void => {
      if (bytes.length === 0 || request.routeOptions.config.anyBody) done(null, undefined);
      else read(request, bytes as Buffer, done);
    };

  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, reader(readJson));
  app.addContentTypeParser('text/json', { parseAs: 'buffer' }, reader(readJson));
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    reader((request, bytes, done) => {
      if (!takesForms(request) || isSentByAnotherSite(request)) return void done(wrongType(request));
      done(null, fields(bytes.toString()));
    }),
  );
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    reader((request, bytes, done) => {
      const type = request.headers['content-type'];
      if (type === undefined && !isSentByAnotherSite(request)) return void readJson(request, bytes, done);
      if (!type?.startsWith('multipart/form-data') || !request.routeOptions.config.multipart) return void done(wrongType(request));
      readMultipart(type, bytes).then((form) => done(null, form), done);
    }),
  );
}

/** Whether the body was sent as a form, in which every value is text. */
export const isForm = ({ headers }: FastifyRequest): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');

/** Names what is taken instead. */
function wrongType(request: FastifyRequest): Error {
  const { multipart } = request.routeOptions.config;
  const form = takesForms(request) && !isSentByAnotherSite(request);
  const types = ['application/json', ...(form ? ['application/x-www-form-urlencoded'] : []), ...(multipart ? ['multipart/form-data'] : [])];
  return new WrongType(types.join(', '));
}

const takesForms = (request: FastifyRequest) => request.routeOptions.config.forms === true;

/**
 * A page of any site may have a browser send a form, or a body without a type, unasked, and the browser adds the credentials it remembers for us.
 * On routes open to everyone there is nothing to gain by that; pages of the console have tokens against it.
 */
function isSentByAnotherSite({ headers, host, routeOptions }: FastifyRequest): boolean {
  const { open, session } = routeOptions.config;
  if (open || session || headers.origin === undefined) return false;
  return URL.parse(headers.origin)?.host !== host;
}

/** A form as an object: a repeated name is a list. */
function fields(body: string): Record<string, unknown> {
  return { ...parseForm(body, undefined, undefined, { maxKeys: 10_000 }) };
}

/** A multipart form of texts, in memory. @throws RequestError for one that cannot be read, or holds a file */
function readMultipart(type: string, bytes: Buffer): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const unreadable = () => reject(new RequestError({ body: 'The form cannot be read as multipart/form-data.' }));
    const form = new Map<string, string[]>();
    try {
      const reader = new Busboy({ headers: { 'content-type': type }, limits: { parts: 1000, fieldSize: bytes.length } });
      reader.on('field', (name, value) => form.set(name, [...(form.get(name) ?? []), value]));
      reader.on('file', (name, content) => {
        content.resume();
        reject(new RequestError({ [name]: `${name} is a file; none are taken here.` }));
      });
      reader.on('error', unreadable);
      reader.on('finish', () =>
        resolve(Object.fromEntries([...form].map(([name, values]) => [name, values.length > 1 ? values : values[0]]))),
      );
      reader.end(bytes);
    } catch {
      unreadable();
    }
  });
}
