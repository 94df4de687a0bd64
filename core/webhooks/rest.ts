import type { Pool } from '../../db/driver.ts';

// Whoever does not answer again and again is left alone as a whole: what happens meanwhile is due at once, and would have them asked each time the sweep looks.

/** From which failure in a row on, for how many seconds then, twice as long each time, and at most: so that what happens later does not wait long when all is well again. */
const REST = { from: 4, first: 20, most: 300 };
/** However long they ask to be left alone. */
const LONGEST_ASKED = 3600;

/** Of a webhook: it may be asked now. What seems to rest for longer than any can began to before the clock of the database was set back. */
export const AWAKE = `(rests_until is null or rests_until not between now() and now() + make_interval(secs => ${LONGEST_ASKED + 60}))`;

/** It did not answer, or asked to wait. @param version as it was asked: what was changed since is asked at once @param asked how many seconds it said */
export async function letRest(pool: Pool, webhookId: number, version: string, asked: number | null): Promise<void> {
  await pool.query(
    `update core_webhook set failures = failures + 1,
       rests_until = now() + make_interval(secs => greatest($2::float8,
         case when failures + 1 < ${REST.from} then 0 else least(${REST.most}, ${REST.first} * 2 ^ least(failures + 1 - ${REST.from}, 10)) end))
      where id = $1 and updated_at = $3`,
    [webhookId, Math.min(asked ?? 0, LONGEST_ASKED), version],
  );
}

/** It answers, or somebody has asked for another try. */
export const WAKE = 'update core_webhook set failures = 0, rests_until = null where id = $1 and failures > 0';
