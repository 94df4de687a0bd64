import { deepEqual, ok } from 'node:assert/strict';
import { tallyAnew } from '../../../core/sending/tally.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';

const SMALL = 40_000;
const TIMES = 4;
const SHARD = 50;

describe('the tally of a large mailing', () => {
  let api: TestApi;
  let mailings = 0;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const cut = (id: number, people: number, finished: boolean) =>
    api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, finished)
       select $1, n, n * $3 + 1, (n + 1) * $3, n * $3, $4 from generate_series(0, $2::int / $3 - 1) n`,
      [id, people, SHARD, finished],
    );

  /** @returns milliseconds it took, where it came to what it should */
  async function tallied(id: number, shards: number[] | null, expected: { targeted: number; accepted: number; failed: number }) {
    const began = performance.now();
    await tallyAnew(sqlOn(api.pool), id, shards);
    const ms = performance.now() - began;
    const { rows } = await api.pool.query(
      'select sum(targeted)::int as targeted, sum(accepted)::int as accepted, sum(failed)::int as failed from send_tally where mailing_id = $1',
      [id],
    );
    deepEqual(rows, [expected]);
    return ms;
  }

  async function begun(people: number): Promise<number> {
    const id = ++mailings;
    await api.pool.query(
      `insert into send_set (mailing_id, first, user_ids, least_user, most_user)
       select $1, b * 1000 + 1, array(select * from generate_series(b * 1000 + 1, b * 1000 + 1000)), b * 1000 + 1, b * 1000 + 1000 from generate_series(0, $2::int / 1000 - 1) b`,
      [id, people],
    );
    await cut(id, people, false);
    return tallied(id, null, { targeted: people, accepted: 0, failed: 0 });
  }

  /** One of each shard has failed, and all of it is to be looked at again. */
  async function takenUpAgain(people: number): Promise<number> {
    const id = ++mailings;
    await cut(id, people, true);
    await api.pool.query(
      `insert into send_accepted (user_id, mailing_id, position, sent_second) select n, $1, n, 0 from generate_series(1, $2::int) n where n % $3 > 0`,
      [id, people, SHARD],
    );
    await api.pool.query(
      `insert into send_exception (mailing_id, position, user_id, shard, state, changed_at)
       select $1, n, n, (n - 1) / $3, 3, now() from generate_series($3::int, $2::int, $3) n`,
      [id, people, SHARD],
    );
    await api.pool.query(
      `insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain)
       select $1, n, 0, $3, $3 - 1, 1, 0, 0 from generate_series(0, $2::int / $3 - 1) n`,
      [id, people, SHARD],
    );
    const shards = Array.from({ length: people / SHARD }, (_, n) => n);
    return tallied(id, shards, { targeted: people, accepted: people - shards.length, failed: shards.length });
  }

  for (const [what, run] of [
    ['it begins', begun],
    ['all of it is taken up again', takenUpAgain],
  ] as const) {
    it(`takes time as its recipients, not as their square, whatever the statistics know, when ${what}`, async () => {
      for (const known of [false, true]) {
        if (known) await api.pool.query('analyze');
        // In turns, so that a busy moment is nobody's alone, and again where it lasted.
        let [small, large] = [Infinity, Infinity];
        for (let n = 0; n < 5 && (n < 2 || large > 2 * TIMES * small + 200); n++) {
          small = Math.min(small, await run(SMALL));
          large = Math.min(large, await run(TIMES * SMALL));
        }
        ok(large < 2 * TIMES * small + 200, `${Math.round(small)} ms, and ${TIMES} times as many ${Math.round(large)} ms`);
      }
    });
  }
});
