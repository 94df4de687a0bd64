import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import createError from '@fastify/error';
import type { FastifyInstance } from 'fastify';

const WrongEncoding = createError('API_CONTENT_ENCODING', 'Of content encodings gzip alone is taken, and not for uploads.', 415);

/**
 * Unpacks bodies sent with `Content-Encoding: gzip`. Whoever reads the body counts what comes out of it against the body limit, so that a small body
 * cannot become a large one; nothing is unpacked beyond that.
 */
export function installUnpacking(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase();
    if (!encoding || encoding === 'identity' || request.routeOptions.config.anyBody) return done(null, payload);
    const streamed = /^multipart\//i.test(request.headers['content-type'] ?? '') && !request.routeOptions.config.multipart;
    if (!/^(x-)?gzip$/.test(encoding) || streamed) return done(new WrongEncoding(), payload);
    const unpacked = Object.assign(createGunzip(), { receivedEncodedLength: 0 });
    (payload as Readable).on('data', (chunk: Buffer) => {
      unpacked.receivedEncodedLength += chunk.length;
    });
    (payload as Readable).once('error', (error) => unpacked.destroy(error));
    reply.raw.once('close', () => unpacked.destroy());
    done(null, payload.pipe(unpacked));
  });
}
