import { deepEqual, ok } from 'node:assert/strict';
import { tallyAnew } from '../../../core/sending/tally.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';

const SMALL = 200_000;
const TIMES = 4;
const SHARD = 50;

describe('the tally of a mailing that begins', function () {
  this.timeout(120_000);
  let api: TestApi;
  let mailings = 0;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  /** @returns milliseconds it took to tally a mailing to so many, in small shards */
  async function tallied(people: number): Promise<number> {
    const id = ++mailings;
    await api.pool.query(
      `insert into send_set (mailing_id, first, user_ids, least_user, most_user)
       select $1, b * 1000 + 1, array(select * from generate_series(b * 1000 + 1, b * 1000 + 1000)), b * 1000 + 1, b * 1000 + 1000 from generate_series(0, $2::int / 1000 - 1) b`,
      [id, people],
    );
    await api.pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to)
       select $1, n, n * $3 + 1, (n + 1) * $3, n * $3 from generate_series(0, $2::int / $3 - 1) n`,
      [id, people, SHARD],
    );
    const began = performance.now();
    await tallyAnew(sqlOn(api.pool), id);
    const ms = performance.now() - began;
    const { rows } = await api.pool.query('select sum(targeted)::int as targeted from send_tally where mailing_id = $1', [id]);
    deepEqual(rows, [{ targeted: people }]);
    return ms;
  }

  it('takes time as its recipients, not as their square, whatever the statistics know', async () => {
    for (const known of [false, true]) {
      if (known) await api.pool.query('analyze');
      const small = Math.min(await tallied(SMALL), await tallied(SMALL));
      const large = Math.min(await tallied(TIMES * SMALL), await tallied(TIMES * SMALL));
      ok(large < 2 * TIMES * small + 200, `${Math.round(small)} ms, and ${TIMES} times as many ${Math.round(large)} ms`);
    }
  });
});
