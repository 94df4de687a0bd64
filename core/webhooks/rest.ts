import type { Pool } from '../../db/driver.ts';

// Whoever does not answer again and again is left alone as a whole: what happens meanwhile is due at once, and would have them asked each time the sweep looks.

/** From which failure in a row on, for how many seconds then, twice as long each time, and at most: so that what happens later does not wait long when all is well again. */
const REST = { from: 4, first: 20, most: 300 };
/** However long they ask to be left alone. */
const LONGEST_ASKED = 3600;

/** Of a webhook: it may be asked now. What seems to rest for longer than any can began to before the clock of the database was set back. */
export const AWAKE = `(rests_until is null or rests_until not between now() and now() + make_interval(secs => ${LONGEST_ASKED + 60}))`;

/** Of a webhook, as it was asked. */
export interface Asked {
  /** Another one when somebody has changed it. */
  version: string;
  /** Another one when somebody has had a delivery tried again. */
  rests: string | null;
}

/** It did not answer, or asked to wait. What was changed since, or woken, is asked at once. @param wait how many seconds it said */
export async function letRest(pool: Pool, webhookId: number, { version, rests }: Asked, wait: number | null): Promise<void> {
  await pool.query(
    `update core_webhook set failures = failures + 1,
       rests_until = now() + make_interval(secs => greatest($2::float8,
         case when failures + 1 < ${REST.from} then 0 else least(${REST.most}, ${REST.first} * 2 ^ least(failures + 1 - ${REST.from}, 10)) end))
      where id = $1 and updated_at = $3 and rests_until is not distinct from $4::timestamptz`,
    [webhookId, Math.min(wait ?? 0, LONGEST_ASKED), version, rests],
  );
}

/** It answers. */
export const ANSWERS = 'update core_webhook set failures = 0, rests_until = null where id = $1 and failures > 0';

/** Somebody has asked for another try. Whoever is asking it just now is told by a moment of its own, which is past by any clock. */
export const WAKE = `update core_webhook set failures = 0, rests_until = clock_timestamp() - interval '1 day' where id = $1`;
