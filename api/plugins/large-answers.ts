import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { JSON_AT_ONCE } from '../../domain/json-numbers.ts';

/** Writes the objects of a collection one by one: a page of mailings may have a hundred megabytes, and written in one go nobody else is answered for a second. */
export function installLargeAnswers(app: FastifyInstance): void {
  app.addHook('preSerialization', (_request, reply, payload, done) => {
    if (!Array.isArray((payload as { objects?: unknown } | null)?.objects)) return done(null, payload);
    inPieces(payload as Record<string, unknown>).then((written) => {
      reply.serializer((it: unknown) => it as string);
      done(null, written);
    }, done);
  });
}

/** @returns what JSON.stringify makes of it; its bytes where there are many */
async function inPieces(answer: Record<string, unknown>): Promise<string | Buffer> {
  const written: Buffer[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:`;
    if (name !== 'objects') {
      text += JSON.stringify(value);
      continue;
    }
    for (const [n, each] of (value as object[]).entries()) {
      text += `${n === 0 ? '[' : ','}${JSON.stringify(each)}`;
      if (text.length < JSON_AT_ONCE) continue;
      written.push(Buffer.from(text));
      text = '';
      await nextTurn();
    }
    text += (value as object[]).length === 0 ? '[]' : ']';
  }
  text += '}';
  return written.length === 0 ? text : joined([...written, Buffer.from(text)]);
}

/** Copied piece by piece, too: a hundred megabytes at once take a quarter of a second. */
async function joined(pieces: readonly Buffer[]): Promise<Buffer> {
  const all = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const each of pieces) {
    at += each.copy(all, at);
    await nextTurn();
  }
  return all;
}
