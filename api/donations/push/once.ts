import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Sql } from '../../../db/sql.ts';
import { InputError } from '../../../domain/errors.ts';

const HEADER = 'Idempotency-Key';

/**
 * Runs `make` for the first of all requests with one Idempotency-Key; the others, at once or later, get what it made. Without the header it
 * just runs. The key is a row of the same transaction: while the first is at work the others wait for it, and if it fails the next one is the first.
 * @param make returns the id of what it made
 * @throws InputError when the key came with another body before
 */
export async function once(sql: Sql, request: FastifyRequest, make: () => Promise<number>): Promise<number> {
  const given = request.headers['idempotency-key'];
  if (given === undefined || given === '') return make();
  // Callers do not share keys, nor do the pushes.
  const key = digest([String(request.account?.id), request.routeOptions.url ?? '', String(given)]);
  const body = digest([JSON.stringify(request.body ?? null)]);
  const claimed = await sql('insert into push_key (key_digest, body_digest) values ($1, $2) on conflict do nothing returning 1', [
    key,
    body,
  ]);
  if (claimed.length === 0) {
    const [found] = await sql<{ body_digest: string; made_id: number }>('select body_digest, made_id from push_key where key_digest = $1', [
      key,
    ]);
    if (found!.body_digest !== body) throw new InputError({ [HEADER]: `This ${HEADER} was used with another body.` });
    return found!.made_id;
  }
  const id = await make();
  await sql('update push_key set made_id = $2 where key_digest = $1', [key, id]);
  return id;
}

const digest = (parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
