import { type Readable, Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** Bytes that are put together before they are handed on. */
const PIECE = 16 * 1024;
/** A body of so many bytes takes little in whatever pieces it comes, and nearly all are: they are read as they come. */
const SMALL = 4 * 1024;

/**
 * Whoever sends a body byte by byte, each in a chunk of its own, has us keep as many pieces, and each takes two hundred times what it holds: a quarter of a megabyte
 * was fifty, for as long as the request was not over. They are put together here, unpacked or not.
 */
export function installGathering(app: FastifyInstance): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { method, headers, routeOptions } = request;
    const small =
      headers['transfer-encoding'] === undefined && !headers['content-encoding'] && Number(headers['content-length'] ?? 0) <= SMALL;
    // A form with a file goes to where it is kept without being held.
    const streamed = /^multipart\//i.test(headers['content-type'] ?? '') && !routeOptions.config.multipart;
    if (small || streamed || method === 'GET' || method === 'HEAD') return done(null, payload);
    const source = payload as Packed;
    const gathering = new Gathering(source);
    source.once('error', (error) => gathering.destroy(error));
    reply.raw.once('close', () => gathering.destroy());
    done(null, source.pipe(gathering));
  });
}

/** What is unpacked says how much came of what was packed. */
type Packed = Readable & { receivedEncodedLength?: number };

class Gathering extends Transform {
  readonly #source: Packed;
  #held = Buffer.alloc(0);
  #length = 0;

  constructor(source: Packed) {
    super();
    this.#source = source;
  }

  get receivedEncodedLength(): number {
    return this.#source.receivedEncodedLength ?? 0;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#length + chunk.length > this.#held.length) this.#handOn();
    if (chunk.length >= PIECE) this.push(chunk);
    else this.#keep(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#handOn();
    done();
  }

  #keep(chunk: Buffer): void {
    if (this.#held.length === 0) this.#held = Buffer.allocUnsafeSlow(PIECE);
    this.#length += chunk.copy(this.#held, this.#length);
  }

  #handOn(): void {
    if (this.#length > 0) this.push(this.#held.subarray(0, this.#length));
    this.#held = Buffer.alloc(0);
    this.#length = 0;
  }
}
