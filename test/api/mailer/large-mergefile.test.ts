import assert from 'node:assert/strict';
import { startApi, type TestApi } from '../../support/api.ts';
import { idIn } from '../../support/mailings.ts';
import { insertPeople } from '../../support/people.ts';
import { longestTurnMs } from '../../support/processor-time.ts';

const MB = 1_000_000;

describe('a large merge file', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await api.create('list', { name: 'News' });
    await insertPeople(
      api.pool,
      Array.from({ length: 6_000 }, (_, n) => ({ id: n + 1, email: `p${n + 1}@example.org`, state: 'NY', lists: [1] })),
    );
  });
  after(() => api.close());

  const send = (csv: string) => {
    const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\nContent-Type: text/csv\r\n\r\n`;
    return api.call('POST', '/rest/v1/mergefile/', Buffer.from(`${file}${csv}\r\n--b--\r\n`), {
      'content-type': 'multipart/form-data; boundary=b',
    });
  };
  const header = (key: string, columns: number, length = 0) =>
    `${[key, ...Array.from({ length: columns - 1 }, (_, n) => `c${n}`.padEnd(length, 'x'))].join(',')}\n`;

  it('of a million cells takes little memory, and others need not wait for it', async () => {
    const csv = `${header('user_id', 200)}${`1${','.repeat(199)}\n`.repeat(30_000)}2${','.repeat(199)}last\n99999${','.repeat(199)}\n`;
    const before = process.memoryUsage().heapUsed;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().heapUsed);
    }, 5);
    let answer: Awaited<ReturnType<typeof send>>;
    const longest = await longestTurnMs(async () => {
      answer = await send(csv);
    });
    clearInterval(watch);
    assert.equal(answer!.statusCode, 201, answer!.body);
    const shown = await api.read(String(answer!.headers.location).slice(api.env.BASE_URL.length));
    assert.deepEqual([shown.row_count, shown.error], [2, '1 of 30002 rows name nobody.']);
    assert.ok(most - before < 150 * MB, `${Math.round((most - before) / MB)} MB more`);
    assert.ok(longest < 250, `${Math.round(longest)} ms`);
  });

  it('is stored a few thousand rows at a time, of which the last of two still counts', async () => {
    const lines = Array.from({ length: 6_000 }, (_, n) => `P${n + 1}@example.org,${n + 1},first\n`).join('');
    const answer = await send(`email,"a""b",\\c\n${lines}p1@example.org,again,last\n`);
    assert.equal(answer.statusCode, 201, answer.body);
    const uri = String(answer.headers.location).slice(api.env.BASE_URL.length);
    const shown = await api.read(uri);
    assert.deepEqual([shown.row_count, shown.error], [6_000, '']);
    const { rows } = await api.pool.query(
      'select values from core_mergefilerow where mergefile_id = $1 and user_id in (1, 6000) order by user_id',
      [idIn(uri)],
    );
    assert.deepEqual(rows, [
      { values: { email: 'p1@example.org', 'a"b': 'again', '\\c': 'last' } },
      { values: { email: 'P6000@example.org', 'a"b': '6000', '\\c': 'first' } },
    ]);
  });

  it('with names that are long together is refused', async () => {
    const answer = await send(`${header('user_id', 100, 110)}1${','.repeat(99)}\n`);
    assert.equal(answer.statusCode, 400);
    assert.match(answer.body, /more than 10000 characters together/);
  });

  it('takes its turn among the files that are on their way into the database', async () => {
    const one = `email\n${Array.from({ length: 3_000 }, (_, n) => `p${n + 1}@example.org\n`).join('')}`;
    const holder = await api.pool.connect();
    await holder.query('begin; lock table core_mergefilerow in exclusive mode');
    const sent = Promise.all(Array.from({ length: 5 }, () => send(one)));
    const writing = async () =>
      (
        await api.pool.query(
          "select count(*)::int as n from pg_stat_activity where datname = current_database() and query like '%core_mergefilerow%' and wait_event_type = 'Lock'",
        )
      ).rows[0].n;
    while ((await writing()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const most = await writing();
    await holder.query('commit');
    holder.release();
    assert.ok(most <= 2, 'as few as files of people');
    assert.deepEqual(
      (await sent).map(({ statusCode }) => statusCode),
      Array(5).fill(201),
    );
  });
});
