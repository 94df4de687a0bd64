import { deepEqual, equal } from 'node:assert/strict';
import { readSubjectCharts } from '../../../console/chart-data.ts';
import { readOpened } from '../../../core/mailings/needs-somebody.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { become, ledgerStates, seedMailing, shardCounters, tally } from '../../support/sending.ts';
import { track } from '../../support/tracking.ts';

describe('settling recipients who are uncertain or were refused', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  /** 10 people in two shards, all accepted but two of the first shard. */
  const uncertainMailing = async (status: string, from = 5): Promise<number> => {
    const id = await seedMailing(api.pool, 10, { shardSize: 5 });
    await become(
      api.pool,
      id,
      Array.from({ length: 10 }, (_, n) => ({ position: n + 1, state: n === 1 || n === 3 ? from : 2 })),
      { recorded: true },
    );
    await api.pool.query(
      `update send_shard set finished = true, claimed_to = to_position, accepted = case shard when 0 then 3 else 5 end,
        ${from === 5 ? 'uncertain' : 'failed'} = case shard when 0 then 2 else 0 end where mailing_id = $1`,
      [id],
    );
    await tally(api.pool, id);
    await api.pool.query('update core_mailing set status = $2 where id = $1', [id, status]);
    return id;
  };
  const statusOf = async (id: number) => (await api.read(`/rest/v1/mailer/${id}/`)).status;

  it('makes them pending again, of a mailing that can then be queued', async () => {
    const id = await uncertainMailing('completed');
    const answer = await api.call('POST', `/rest/v1/mailer/${id}/uncertain/resend/`);
    deepEqual([answer.statusCode, answer.json()], [200, { settled: 2 }]);
    deepEqual(await ledgerStates(api.pool, id), { accepted: 8, pending: 2 });
    deepEqual(await shardCounters(api.pool, id), { accepted: 8, failed: 0, skipped: 0, uncertain: 0, unfinished: 1 });
    equal(await statusOf(id), 'stopped');
    deepEqual((await api.call('POST', `/rest/v1/mailer/${id}/uncertain/resend/`)).json(), { settled: 0 });
  });

  it('counts them as accepted', async () => {
    const id = await uncertainMailing('completed');
    deepEqual((await api.call('POST', `/rest/v1/mailer/${id}/uncertain/accept/`)).json(), { settled: 2 });
    deepEqual(await ledgerStates(api.pool, id), { accepted: 10 });
    deepEqual(await shardCounters(api.pool, id), { accepted: 10, failed: 0, skipped: 0, uncertain: 0, unfinished: 0 });
    equal(await statusOf(id), 'completed');
  });

  it('counts them as accepted when their mail was on its way, and not when somebody said so', async () => {
    const id = await seedMailing(api.pool, 4, { shardSize: 2 });
    const times = ['2026-01-01T10:00:00', '2026-01-01T10:00:00', '2026-01-02T11:00:00', '2026-01-03T12:00:00'];
    const lost = (position: number) => ({ position, state: 5, at: new Date(`${times[position - 1]}Z`) });
    await become(api.pool, id, [lost(1), lost(2)], { recorded: true });
    await become(api.pool, id, [lost(3), lost(4)]);
    await api.pool.query('update send_shard set finished = shard = 0, claimed_to = to_position, uncertain = 2 where mailing_id = $1', [id]);
    await api.pool.query(`update core_mailing set status = 'stopped' where id = $1`, [id]);
    deepEqual((await api.call('POST', `/rest/v1/mailer/${id}/uncertain/accept/`)).json(), { settled: 4 });
    deepEqual(await shardCounters(api.pool, id), { accepted: 4, failed: 0, skipped: 0, uncertain: 0, unfinished: 1 });
    const { objects } = await api.read(`/rest/v1/usermailing/?mailing=${id}`);
    deepEqual(
      objects.map((mail: { created_at: string }) => mail.created_at),
      times,
    );
  });

  it('gives those the relay refused another chance', async () => {
    const id = await uncertainMailing('died', 3);
    deepEqual((await api.call('POST', `/rest/v1/mailer/${id}/failed/resend/`)).json(), { settled: 2 });
    deepEqual(await ledgerStates(api.pool, id), { accepted: 8, pending: 2 });
    deepEqual(await shardCounters(api.pool, id), { accepted: 8, failed: 0, skipped: 0, uncertain: 0, unfinished: 1 });
    equal(await statusOf(id), 'died');
  });

  it('keeps what they opened counted, also where they are mailed again with fewer subjects', async () => {
    const id = await seedMailing(api.pool, 4);
    const at = `/rest/v1/mailer/${id}/`;
    await api.pool.query('delete from core_mailingsubject where mailing_id = $1', [id]);
    await api.pool.query(`insert into core_mailingsubject (mailing_id, text, position) values ($1, 'A', 0), ($1, 'B', 1), ($1, 'C', 2)`, [
      id,
    ]);
    await become(
      api.pool,
      id,
      [1, 2, 3, 4].map((position) => ({ position, state: 5 })),
      { recorded: true },
    );
    await api.pool.query('update send_shard set finished = true, claimed_to = to_position, uncertain = 4 where mailing_id = $1', [id]);
    await tally(api.pool, id);
    await api.pool.query(`update core_mailing set status = 'stopped', started_at = now() where id = $1`, [id]);
    const { rows } = await api.pool.query<{ user_id: number }>('select user_id from send_record where mailing_id = $1', [id]);
    await track(api.pool, ...rows.map(({ user_id: userId }) => ({ userId, mailingId: id })));
    deepEqual((await api.call('POST', `${at}uncertain/resend/`)).json(), { settled: 4 });
    const answer = await api.call('PATCH', at, { subjects: ['A', 'B'] });
    equal(answer.statusCode, 202, answer.body);
    const { totals, subjects } = await api.read(`${at}results/`);
    deepEqual([totals.opens, totals.total_opens], [4, 4]);
    equal((await readOpened(sqlOn(api.pool), [id])).get(id)?.opens, 4);
    const charts = await readSubjectCharts(
      sqlOn(api.pool),
      id,
      subjects.map((each: object) => ({ ...each, recipients: 100 })),
    );
    const last = charts.opens.series.map(({ values }) => values.at(-1));
    deepEqual(
      last,
      subjects.map(({ opens }: { opens: number }) => opens),
    );
  });

  it('leaves every mail that was accepted listed, those of before and those of since', async () => {
    const id = await uncertainMailing('completed');
    const at = `/rest/v1/mailer/${id}/`;
    await become(api.pool, id, [{ position: 5, state: 3 }], { recorded: true });
    await api.pool.query('update send_shard set accepted = 2, failed = 1 where mailing_id = $1 and shard = 0', [id]);
    await api.call('POST', `${at}uncertain/accept/`);
    await api.call('POST', `${at}failed/resend/`);
    const { rows } = await api.pool.query<{ user_id: number }>('select user_id from send_record where mailing_id = $1 order by position', [
      id,
    ]);
    const people = rows.map(({ user_id: user }) => `/rest/v1/user/${user}/`);
    const listed = async (name: string) => {
      const pages = [0, 3, 6, 9].map((offset) => api.read(`/rest/v1/${name}/?mailing=${id}&_limit=3&_offset=${offset}`));
      const found = (await Promise.all(pages)).map(({ meta, objects }) => [
        meta.total_count,
        objects.map(({ user }: { user: string }) => user),
      ]);
      return [new Set(found.map(([total]) => total)), found.flatMap(([, users]) => users)];
    };
    for (const name of ['usermailing', 'sentmail']) deepEqual(await listed(name), [new Set([9]), people.filter((_, n) => n !== 4)], name);
    // Taken up again, and accepted.
    await become(api.pool, id, [{ position: 5, state: 2 }]);
    await api.pool.query('update send_shard set accepted = accepted + 1 where mailing_id = $1 and shard = 0', [id]);
    for (const name of ['usermailing', 'sentmail']) deepEqual(await listed(name), [new Set([10]), people], name);
  });

  it('is refused while the mailing is being sent, and for one that is not there', async () => {
    const id = await uncertainMailing('sending');
    const answer = await api.call('POST', `/rest/v1/mailer/${id}/uncertain/resend/`);
    equal(answer.statusCode, 400);
    deepEqual(Object.keys(answer.json().errors), ['status']);
    equal((await api.call('POST', '/rest/v1/mailer/99999/uncertain/accept/')).statusCode, 404);
  });
});
