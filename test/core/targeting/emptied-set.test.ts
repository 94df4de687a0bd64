import { deepEqual, ok } from 'node:assert/strict';
import { emptySet } from '../../../core/targeting/rebuild-set.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { LEDGER_STATE } from '../../../domain/words.ts';
import { random as randomFrom } from '../../../tools/chaos/random.ts';
import { startApi, type TestApi } from '../../support/api.ts';

const SEED = Number(process.env['EMPTIED_SEED'] ?? Date.now() % 1_000_000);
const MAILINGS = 60;
const { pending, sending, failed, uncertain } = LEDGER_STATE;

describe(`a set that is built anew while shards of it are begun (EMPTIED_SEED=${SEED})`, () => {
  let api: TestApi;
  let mailings = 0;

  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const empty = (id: number) => inOneTransaction(api.pool, (_, client) => emptySet(client, id));

  it('loses whoever waits in them, and nobody else', async () => {
    const random = randomFrom(SEED);
    const upTo = (most: number) => Math.floor(random() * (most + 1));
    for (let n = 0; n < MAILINGS; n++) {
      const id = ++mailings;
      // Blocks of all lengths, and shards that share them; behind the last shard some whom none covers.
      let last = 0;
      for (let block = 0; block <= upTo(4); block++) {
        const users = Array.from({ length: 1 + upTo(random() < 0.2 ? 999 : 30) }, () => (random() < 0.1 ? 0 : 1 + upTo(1000)));
        await api.pool.query('insert into send_set (mailing_id, first, user_ids, least_user, most_user) values ($1, $2, $3, 0, 1001)', [
          id,
          last + 1,
          users,
        ]);
        last += users.length;
      }
      let begun = true;
      for (let shard = 0, from = 1; from <= last && random() > 0.1; shard++) {
        begun &&= random() > 0.3;
        const to = Math.min(last, from + upTo(random() < 0.3 ? 1500 : 25));
        const claimed = from - 1 + (!begun || random() < 0.4 ? 0 : upTo(to - from + 1));
        await api.pool.query(
          'insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, seq, finished) values ($1, $2, $3, $4, $5, $6, $7)',
          [id, shard, from, to, claimed, begun ? 3 : 0, begun && random() < 0.2],
        );
        await api.pool.query(
          'insert into send_tally (mailing_id, shard, place, targeted, accepted, failed, skipped, uncertain) values ($1, $2, 0, 1, 0, 0, 0, 0)',
          [id, shard],
        );
        for (let seq = 1; seq <= (begun ? 3 : 0); seq++) {
          const among = Array.from({ length: to - from + 1 }, (_, at) => from + at);
          const some = (share: number, most: number) => among.filter((position) => position <= most && random() < share);
          // Others write of people nobody has claimed, too.
          const said = some(0.2, random() < 0.3 ? to : claimed);
          const taken = some(0.2, claimed).filter((position) => !said.includes(position));
          await api.pool.query(
            'insert into send_log (mailing_id, shard, seq, accepted, positions, states, details) values ($1, $2, $3, $4, $5, $6, $7)',
            [
              id,
              shard,
              seq,
              seq === 1 && taken.length ? taken : null,
              said,
              said.map(() => [pending, sending, failed, uncertain][upTo(3)]),
              said.map(() => null),
            ],
          );
        }
        from = to + 1;
      }
      const wanted = await api.pool.query(
        `select b.first + n::int - 1 as position, user_id from send_set b, unnest(b.user_ids) with ordinality u (user_id, n)
         where b.mailing_id = $1 and user_id <> 0
           and b.first + n - 1 <= coalesce((select max(to_position) from send_shard where mailing_id = $1), 0)
           and not exists (select from send_open o where o.mailing_id = $1 and o.shard is not null and o.position = b.first + n - 1 and o.state = ${pending})
         order by 1`,
        [id],
      );
      await empty(id);
      const left = await api.pool.query(
        `select b.first + n::int - 1 as position, user_id from send_set b, unnest(b.user_ids) with ordinality u (user_id, n)
         where b.mailing_id = $1 and user_id <> 0 order by 1`,
        [id],
      );
      deepEqual(left.rows, wanted.rows, `mailing ${id}`);
      // Those at the end that nobody has held are gone with all that was theirs: the new set comes right behind what is left.
      const { rows } = await api.pool.query(
        `select array_agg(shard order by shard) as shards, coalesce(max(to_position), 0) as covered, coalesce((array_agg(seq order by shard desc))[1] > 0, true) as begun,
           (select array_agg(shard order by shard) from send_tally where mailing_id = $1) as tallies,
           (select coalesce(max(first + cardinality(user_ids) - 1), 0) from send_set where mailing_id = $1) as last
         from send_shard where mailing_id = $1`,
        [id],
      );
      ok(rows[0].begun && rows[0].last <= rows[0].covered, JSON.stringify(rows));
      deepEqual(rows[0].tallies, rows[0].shards);
    }
  });

  it('takes time as its recipients, not as their square, whatever the statistics know', async () => {
    const emptied = async (people: number) => {
      const id = ++mailings;
      await api.pool.query(
        `insert into send_set (mailing_id, first, user_ids, least_user, most_user)
         select $1, b * 1000 + 1, array(select * from generate_series(b * 1000 + 1, b * 1000 + 1000)), b * 1000 + 1, b * 1000 + 1000 from generate_series(0, $2::int / 1000 - 1) b`,
        [id, people],
      );
      // The first is under way.
      await api.pool.query(
        `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, seq)
         select $1, n, n * 500 + 1, (n + 1) * 500, n * 500 + case n when 0 then 250 else 0 end, 1 from generate_series(0, $2::int / 500 - 1) n`,
        [id, people],
      );
      await api.pool.query(
        `insert into send_log (mailing_id, shard, seq, accepted) select $1, 0, 1, array(select * from generate_series(1, 200))`,
        [id],
      );
      const began = performance.now();
      await empty(id);
      const ms = performance.now() - began;
      const { rows } = await api.pool.query(
        'select count(*)::int as kept from send_set, unnest(user_ids) as user_id where mailing_id = $1 and user_id <> 0',
        [id],
      );
      deepEqual(rows, [{ kept: 250 }]);
      return ms;
    };
    for (const known of [false, true]) {
      if (known) await api.pool.query('analyze');
      // In turns, so that a busy moment is nobody's alone; as their square four times as many take sixteen times as long: then the 2 s are nothing.
      const took = { small: Infinity, large: Infinity };
      for (let n = 0; n < 3; n++) {
        took.small = Math.min(took.small, await emptied(100_000));
        took.large = Math.min(took.large, await emptied(400_000));
      }
      console.log(known, took);
      ok(took.large < 8 * took.small + 2000, JSON.stringify(took));
    }
  });
});
