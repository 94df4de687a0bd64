import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sql } from '../db/sql.ts';
import { InputError } from '../domain/errors.ts';

/** A request, or a press of a button, that may come several times. */
export interface Repeatable {
  /** What the caller gave it to be told by; empty for none. */
  idempotencyKey: string;
  /** Callers do not share keys, nor do addresses. Of those without an account nobody knows who is who: theirs go with one body each. */
  accountId: number | undefined;
  route: string;
  body: unknown;
}

/**
 * Runs `make` for the first of all requests with one Idempotency-Key; the others, at once or later, get what it made. Without a key it
 * just runs. The key is a row of the same transaction: while the first is at work the others wait for it, and if it fails the next one is the first.
 * @param make returns the id of what it made
 * @throws InputError when the key came with another body before
 */
export async function once(sql: Sql, push: Repeatable | undefined, make: () => Promise<number>): Promise<number> {
  if (!push?.idempotencyKey) return make();
  const key = keyOf(push);
  const body = await bodyDigest(push);
  const claimed = await sql('insert into push_key (key_digest, body_digest) values ($1, $2) on conflict do nothing returning 1', [
    key,
    body,
  ]);
  if (claimed.length === 0) {
    const [found] = await sql<{ body_digest: string; made_id: number }>('select body_digest, made_id from push_key where key_digest = $1', [
      key,
    ]);
    // What the first has made was taken back a moment ago.
    if (!found) return once(sql, push, make);
    if (found.body_digest !== body) throw new InputError({ 'Idempotency-Key': 'This Idempotency-Key was used with another body.' });
    return found.made_id;
  }
  const id = await make();
  await sql('update push_key set made_id = $2 where key_digest = $1', [key, id]);
  return id;
}

/** What the first with this key has made; null where there was none. */
export async function madeBefore(sql: Sql, push: Repeatable): Promise<number | null> {
  const [found] = await sql<{ made_id: number }>('select made_id from push_key where key_digest = $1', [keyOf(push)]);
  return found?.made_id ?? null;
}

/**
 * What was made is taken back: the next one with this key is the first. Not where another took it back, and made it anew.
 * @param asOf of `keptAt`, where what another has begun of it since is not to be taken back
 * @returns whether it is
 */
export async function forgetPush(sql: Sql, push: Repeatable, madeId: number, asOf: string | null = null): Promise<boolean> {
  const forgotten = await sql(
    'delete from push_key where key_digest = $1 and made_id = $2 and created_at = coalesce($3::timestamptz, created_at) returning 1',
    [keyOf(push), madeId, asOf],
  );
  return forgotten.length > 0;
}

/** Which time what was made was begun, as far as its key knows. */
export async function keptAt(sql: Sql, push: Repeatable): Promise<string> {
  const [kept] = await sql<{ at: string }>('select created_at::text as at from push_key where key_digest = $1', [keyOf(push)]);
  return kept!.at;
}

/** Another one has begun what the first has made, who does not take it back any more. @returns false where that is done */
export async function keepPush(sql: Sql, push: Repeatable, madeId: number): Promise<boolean> {
  const kept = await sql('update push_key set created_at = clock_timestamp() where key_digest = $1 and made_id = $2 returning 1', [
    keyOf(push),
    madeId,
  ]);
  return kept.length > 0;
}

const keyOf = (push: Repeatable): string => {
  const { accountId, route, idempotencyKey } = push;
  // A stranger who guesses the key of another one could have them refused, or hear that it was used.
  return digest([String(accountId), route, idempotencyKey, ...(accountId === undefined ? [sent(push)] : [])]);
};

/** Characters: of ten megabytes it takes longer than others should wait. */
const HASHED_AT_ONCE = 1024 * 1024;

/** Of the body with the key, which is kept nowhere: else whoever reads the table could try addresses. */
async function bodyDigest(push: Repeatable): Promise<string> {
  const text = sent(push);
  const hash = createHash('sha256').update(JSON.stringify(push.idempotencyKey));
  for (let at = 0; at < text.length; at += HASHED_AT_ONCE) {
    if (at > 0) await nextTurn();
    // As it is: a letter may stand in two pieces.
    hash.update(text.slice(at, at + HASHED_AT_ONCE), 'utf16le');
  }
  return hash.digest('base64url');
}

const sent = ({ body }: Repeatable): string => JSON.stringify(body ?? null);

const digest = (texts: string[]): string => createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
