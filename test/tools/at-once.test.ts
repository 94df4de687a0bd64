import { deepEqual, match, ok } from 'node:assert/strict';
import { ensureReportRole } from '../../core/reports/report-role.ts';
import { newConnection } from '../../db/driver.ts';
import { startPostgres } from '../../embedded/postgres.ts';
import { type AtOnceOptions, writeAtOnce } from '../../tools/fuzz/at-once.ts';
import { Deadlocks, TELLING } from '../../tools/fuzz/deadlocks.ts';
import { linesOf } from '../../tools/fuzz/report.ts';
import { wireOf } from '../../tools/fuzz/send.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { dataFolder } from '../support/data-folder.ts';

const CALLS = 1000;

describe('writes at once', () => {
  const closing: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closing) await close();
  });

  /** So many calls and what is under way by then, however long they take, on an API of its own. @param meanwhile is told how many calls there were, before each */
  async function write(seed: number, meanwhile: (api: TestApi, calls: number) => Promise<unknown> = async () => {}) {
    const api = await startApi();
    await ensureReportRole(api.pool, api.env);
    closing.push(() => api.close());
    let calls = 0;
    const enough = new AbortController();
    const send: AtOnceOptions['send'] = async (method, path, body, how) => {
      if (++calls === CALLS) enough.abort();
      await meanwhile(api, calls);
      const { headers, payload } = await wireOf(body, how);
      const answer = await api.call(method, path, payload, headers);
      const location = String(answer.headers.location ?? '').slice(api.env.BASE_URL.length);
      return { status: answer.statusCode, body: answer.body, location };
    };
    return writeAtOnce({ send, pool: api.pool, secret: api.env.SECRET_KEY, seconds: 100, seed, stop: enough.signal });
  }

  it('are answered, and every number kept beside the rows is as the rows say', async () => {
    const { wrong, batches, calls, neverTaken } = await write(1);
    deepEqual(wrong.map(linesOf), []);
    ok(batches > 5, `${batches} batches, ${calls} calls`);
    ok(Object.keys(neverTaken).length < 60, Object.keys(neverTaken).join('\n'));
  });

  it('find out a number that is not', async () => {
    const plant = `insert into core_tally (counted, facet, value, delta) values ('core_phone', '', '', 1)`;
    const { wrong } = await write(2, async (api, calls) => calls === 400 && (await api.pool.query(plant)));
    deepEqual(
      wrong.map(({ what }) => what.split(':')[0]),
      ['tally of core_phone'],
    );
    ok(wrong[0]!.calls.length > 0);
  });
  it('find out a deadlock, and what met in it', async () => {
    const folder = dataFolder();
    const postgres = await startPostgres({ dataDir: folder, parameters: { ...TELLING, fsync: 'off', deadlock_timeout: '50ms' } });
    closing.push(() => postgres.stop());
    const [one, other] = [newConnection(postgres.url), newConnection(postgres.url)];
    await Promise.all([one.connect(), other.connect()]);
    await one.query('create table held (id int primary key); insert into held values (1), (2)');
    const deadlocks = new Deadlocks(`${folder}/postgres/server.log`);
    const hold = (id: number) => `select from held where id = ${id} for update`;
    for (const [each, id] of [
      [one, 1],
      [other, 2],
    ] as const)
      await each.query(`begin; ${hold(id)}`);
    await Promise.allSettled([one.query(hold(2)), other.query(hold(1))]);
    await Promise.all([one.end(), other.end()]);
    const [text = '', ...more] = deadlocks.fresh();
    deepEqual(more, []);
    match(text, /deadlock detected/);
    ok(text.includes(hold(1)) && text.includes(hold(2)), text);
    deepEqual(deadlocks.fresh(), []);
  });
});
