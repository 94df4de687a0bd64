import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Busboy } from '@fastify/busboy';
import createError from '@fastify/error';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestError } from '../../domain/errors.ts';
import { JSON_AT_ONCE, longNumbersQuoted } from '../../domain/json-numbers.ts';
import { isEmptyList } from '../../domain/values.ts';
import { readFields } from './form-fields.ts';
import { beyondBounds } from './json-bounds.ts';
import { placeInJson } from './json-place.ts';
import { isUnasked } from './unasked.ts';

/** Bytes that anybody may send, whoever they are: each body is held in memory until it is read, and a form of a page is small. */
const OPEN_LIMIT = 256 * 1024;
/** Of a page of the console without a grant (the login), and of a body nobody looks at. */
const LEAST_LIMIT = 16 * 1024;

/** Longest form: whatever is larger is sent as JSON, or as a file. */
const LONGEST_FORM = 1024 * 1024;

const WrongType = createError<[string]>('API_CONTENT_TYPE', 'This content type is not taken here. Taken: %s.', 415);
const OtherSite = createError('API_OTHER_SITE', 'From a form, or a page of another site, only application/json is taken here.', 415);
const FormTooLong = createError('API_FORM_TOO_LONG', `A form is at most ${LONGEST_FORM} bytes.`, 413);
/** Of more the reader of forms would leave out the last ones, and say nothing. */
const MOST_FIELDS = 10_000;
const TooManyFields = createError<[string]>('API_FORM_FIELDS', 'A form has at most %s fields.', 413);

/** Fields of a multipart form, each of which takes some time: as many as a submission may have. */
const MOST_PARTS = 2_500;
/** Bytes of it that are read before others have their turn. */
const PARTS_AT_ONCE = 16 * 1024;

/** @returns the body, read. @throws RequestError, or an error with a status */
type Read = (request: FastifyRequest, bytes: Buffer) => Promise<unknown>;

/** How bodies are read. Called before any route is registered. */
export function readBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'ignore');
  app.removeAllContentTypeParsers();
  limitOpenRoutes(app);
  // Before a body is looked for: what queues or stops a mailing needs none.
  app.addHook('preParsing', (request, _reply, payload, done) => done(isForged(request) ? new OtherSite() : null, payload));

  const parsed = (request: FastifyRequest, body: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      parse(request, body, (error, value) => (error ? reject(new RequestError({ body: notJson(body) })) : resolve(value)));
    });
  const readJson: Read = async (request, bytes) => {
    // Decoded all the same, a name in another encoding would be stored with question marks in it.
    if (!isUtf8(bytes)) throw new RequestError({ body: 'This is not UTF-8.' });
    // A client in the field sends a form under this type: only where forms are taken, and never what could be JSON.
    if (takesForms(request) && /^[^{["\s]/.test(bytes.toString('utf8', 0, 4)) && bytes.includes('=')) return fields(request, bytes);
    const beyond = await beyondBounds(bytes);
    if (beyond) throw new RequestError({ body: beyond });
    // Of megabytes each step takes as long as anybody may be kept waiting: decoding, parsing, looking for long numbers, and what comes next, checking it.
    const othersTurn = async () => bytes.length > JSON_AT_ONCE && nextTurn();
    const text = bytes.toString();
    await othersTurn();
    const asSent = await parsed(request, text);
    await othersTurn();
    const quoted = await longNumbersQuoted(text);
    const value = quoted === null ? asSent : await parsed(request, quoted);
    await othersTurn();
    return isEmptyList(value) ? {} : value;
  };
  const reader =
    (read: Read) =>
    async (request: FastifyRequest, bytes: string | Buffer): Promise<unknown> =>
      bytes.length === 0 || request.routeOptions.config.anyBody ? undefined : read(request, bytes as Buffer);

  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, reader(readJson));
  app.addContentTypeParser('text/json', { parseAs: 'buffer' }, reader(readJson));
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    reader(async (request, bytes) => {
      if (!takesForms(request)) throw wrongType(request);
      // The type that curl, PHP and Ruby give a body whose type nobody said. Taken for a form it would be one field nobody knows, and nothing be done.
      if (!BEGINS_AS_JSON.test(bytes.toString('latin1', 0, 100))) return fields(request, bytes);
      return readJson(request, bytes);
    }),
  );
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    reader(async (request, bytes) => {
      const type = request.headers['content-type'];
      if (type === undefined) return readJson(request, bytes);
      if (!/^multipart\/form-data\b/i.test(type) || !request.routeOptions.config.multipart) throw wrongType(request);
      return readMultipart(type, bytes);
    }),
  );
}

/** Routes that answer without credentials take small bodies, packed or not, unless they say otherwise themselves. */
function limitOpenRoutes(app: FastifyInstance): void {
  const most = app.initialConfig.bodyLimit!;
  app.addHook('onRoute', (route) => {
    const { open, session, anyBody } = route.config ?? {};
    if (open) route.bodyLimit ??= Math.min(most, session || anyBody ? LEAST_LIMIT : OPEN_LIMIT);
  });
}

/** Of a form a brace is encoded. */
const BEGINS_AS_JSON = /^\s*\{/;
const forms = new WeakSet<FastifyRequest>();
/** Whether the body is a form, in which every value is text, whatever type it came under. */
export const isForm = (request: FastifyRequest): boolean => forms.has(request);

/** Names what is taken instead. */
export function wrongType(request: FastifyRequest): Error {
  const { config, schema } = request.routeOptions;
  const { multipart } = config;
  const types = (schema as { consumes?: string[] } | undefined)?.consumes ?? [
    'application/json',
    ...(takesForms(request) ? ['application/x-www-form-urlencoded'] : []),
    ...(multipart ? ['multipart/form-data'] : []),
  ];
  return new WrongType(types.join(', '));
}

function notJson(body: string): string {
  if (NAMES_PROTOTYPE.test(body) && isJson(body)) return 'No field may be named __proto__.';
  const place = placeInJson(body);
  return place ? `This is not JSON: ${place}.` : 'This is not JSON.';
}

/** Perhaps: what is escaped is written in many ways. */
const NAMES_PROTOTYPE = /__proto__|\\u00/;

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

const takesForms = (request: FastifyRequest) => request.routeOptions.config.forms === true;

/** Of ours no page has a form that leads here. On routes open to everyone there is nothing to gain, since credentials are not looked at there; pages of the console have tokens against it. */
function isForged(request: FastifyRequest): boolean {
  const { open, session } = request.routeOptions.config;
  if (open || session || request.method === 'GET' || request.method === 'HEAD') return false;
  return isUnasked(request);
}

/** @throws FormTooLong, TooManyFields, RequestError */
function fields(request: FastifyRequest, bytes: Buffer): Record<string, unknown> {
  if (bytes.length > LONGEST_FORM) throw new FormTooLong();
  if (bytes.toString('latin1').split('&', MOST_FIELDS + 1).length > MOST_FIELDS) throw new TooManyFields(String(MOST_FIELDS));
  forms.add(request);
  return readFields(bytes, request.headers['content-type'] ?? '');
}

/** A multipart form of texts, in memory. @throws RequestError for one that cannot be read, or holds a file; TooManyFields */
async function readMultipart(type: string, bytes: Buffer): Promise<Record<string, unknown>> {
  const form = new Map<string, string[]>();
  const state: { refused?: Error } = {};
  const refuse = (error: Error) => {
    state.refused ??= error;
  };
  const unreadable = () => refuse(new RequestError({ body: 'The form cannot be read as multipart/form-data.' }));
  try {
    const reader = new Busboy({ headers: { 'content-type': type }, limits: { parts: MOST_PARTS, fieldSize: bytes.length } });
    reader.on('field', (name, value) => {
      if (form.get(name)?.push(value) === undefined) form.set(name, [value]);
    });
    // It would leave out what is behind them.
    reader.on('partsLimit', () => refuse(new TooManyFields(String(MOST_PARTS))));
    reader.on('file', (name, content) => {
      content.resume();
      refuse(new RequestError({ [name]: `${name} is a file; none are taken here.` }));
    });
    reader.on('error', unreadable);
    for (let at = 0; at < bytes.length && !state.refused; at += PARTS_AT_ONCE) {
      if (at > 0) await nextTurn();
      reader.write(bytes.subarray(at, at + PARTS_AT_ONCE));
    }
    if (!state.refused) {
      await new Promise<void>((resolve) => {
        reader.once('finish', resolve);
        reader.once('error', resolve);
        reader.end();
      });
    }
  } catch {
    unreadable();
  }
  if (state.refused) throw state.refused;
  // A part may name a charset of its own.
  if (!isUtf8(bytes) && !/charset/i.test(bytes.toString('latin1'))) throw new RequestError({ body: 'This is not UTF-8.' });
  return Object.fromEntries([...form].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}
