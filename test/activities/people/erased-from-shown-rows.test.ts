import { deepEqual, equal, match } from 'node:assert/strict';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createSendActivities } from '../../../activities/sending/activities.ts';
import { forgetInShownRows } from '../../../core/people/forget-shown-rows.ts';
import { ensureReportRole } from '../../../core/reports/report-role.ts';
import type { FrozenRun } from '../../../core/sending/content.ts';
import { keepEarlierRun } from '../../../core/sending/earlier-runs.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { erase } from '../../support/erasing.ts';
import { inActivity } from '../../support/in-activity.ts';
import { queueMailing } from '../../support/sending.ts';
import { untilWaiting } from '../../support/sessions.ts';

const EMAIL = 'Zéd+1@example.org';
const SHOWN = `{% report "newest" with who="zéd+1@example.org" as rows %}{% for row in rows %}{{ row.who }} {{ row.email }}{% endfor %}{% endreport %}`;

describe('the rows of a report that a mailing shows', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
    await ensureReportRole(api.pool, api.env);
  });
  after(() => api.close());

  it('lose the address of whoever in them is erased: they stand in what was sent as long as there is the mailing', async () => {
    const { pool, env } = api;
    const sql = `select 'Ask ' || email as who, email, 3 as n from core_user where lower(email) = {{ who }} union all select 'me', 'other@example.org', 4`;
    await api.create('queryreport', { name: 'Newest', short_name: 'newest', sql });
    const uri = await api.create('user', { email: EMAIL });
    const id = await queueMailing(pool, 2);
    await pool.query('update core_mailing set html = $2 where id = $1', [id, SHOWN]);
    const deps = { pool, sendPool: pool, env, temporal: {}, log: console } as unknown as ActivityDeps;
    equal((await inActivity(createSendActivities(deps)).beginSending(id, null)).pending, 2);
    const content = async () =>
      (await pool.query(`select content -> 'content' as content from send_run where mailing_id = $1`, [id])).rows[0].content;
    const before = await content();
    match(JSON.stringify(before.reports), /Ask Zéd\+1@example\.org/);

    await erase(pool, Number(/(\d+)\/$/.exec(uri)![1]));
    const { reports, ...rest } = await content();
    deepEqual(Object.values(reports.newest.runs), [
      [
        { who: 'Ask …', email: '…', n: 3 },
        { who: 'me', email: 'other@example.org', n: 4 },
      ],
    ]);
    // By these the template finds its rows, and they are staff's own words, as the rest is.
    deepEqual(Object.keys(reports.newest.runs), Object.keys(before.reports.newest.runs));
    equal(rest.html, before.html);
  });

  /** A queued mailing that shows the address of somebody new, a worker for it, and what it has frozen of the rows. */
  const showing = async (email: string, erasing: { at: 'once' | 'again and again' }) => {
    const { pool, env } = api;
    const shortName = email.split('@')[0]!;
    await api.create('queryreport', {
      name: shortName,
      short_name: shortName,
      sql: `select email from core_user where email like '${shortName}%@example.org'`,
    });
    const people: number[] = [];
    const somebody = async () =>
      people.push(Number(/(\d+)\/$/.exec(await api.create('user', { email: `${shortName}${people.length}@example.org` }))![1]));
    await somebody();
    const id = await queueMailing(pool, 2);
    await pool.query('update core_mailing set html = $2 where id = $1', [
      id,
      `{% report "${shortName}" as rows %}{% for row in rows %}{{ row.email }}{% endfor %}{% endreport %}`,
    ]);
    let begun = 0;
    // What begins has read the reports when it asks for a connection of its own.
    const connect = async () => {
      begun++;
      if (begun === 1 || (erasing.at === 'again and again' && begun < 20)) {
        await erase(pool, people.at(-1)!);
        await somebody();
      }
      return pool.connect();
    };
    const late = { connect, query: pool.query.bind(pool) };
    const deps = { pool: late, sendPool: late, env, temporal: {}, log: console } as unknown as ActivityDeps;
    const begin = () => inActivity(createSendActivities(deps)).beginSending(id, null);
    const shown = async () =>
      (
        await pool.query(`select content #> '{content,reports}' -> $2 -> 'runs' as runs from send_run where mailing_id = $1`, [
          id,
          shortName,
        ])
      ).rows.flatMap(({ runs }) => Object.values(runs).flat());
    return { begin, shown, pool, people };
  };

  it('have nobody who was erased after they were read and before they were kept', async () => {
    const { begin, shown } = await showing('meanwhile@example.org', { at: 'once' });
    equal((await begin()).pending, 2);
    deepEqual(await shown(), [{ email: 'meanwhile1@example.org' }]);
  });

  it('have nobody who was erased also where one is after the other, and the mailing is begun all the same', async () => {
    const { begin, shown, people } = await showing('onebyone@example.org', { at: 'again and again' });
    equal((await begin()).pending, 2);
    deepEqual(await shown(), [{ email: `onebyone${people.length - 1}@example.org` }]);
  });

  it('lose it also where the mailing goes on with something else at that moment', async () => {
    const { pool } = api;
    const id = await queueMailing(pool, 1);
    const runs = { key: [{ email: EMAIL }] };
    await pool.query('insert into send_run (mailing_id, content) values ($1, $2)', [
      id,
      JSON.stringify({ content: { reports: { newest: { runs } } } }),
    ]);
    await pool.query(
      `insert into send_shard (mailing_id, shard, from_position, to_position, claimed_to, accepted) values ($1, 0, 1, 1, 1, 1)`,
      [id],
    );
    const [erasing, going] = [await pool.connect(), await pool.connect()];
    await erasing.query('begin');
    await forgetInShownRows(sqlOn(erasing), [EMAIL.toLowerCase()]);
    const kept = keepEarlierRun(going, id, {} as FrozenRun);
    await untilWaiting(pool, 1, kept);
    await erasing.query('commit');
    await kept;
    for (const client of [erasing, going]) client.release();
    const { rows } = await pool.query(
      `select content #> '{content,reports,newest,runs,key}' as rows from send_earlier_run where mailing_id = $1`,
      [id],
    );
    deepEqual(rows, [{ rows: [{ email: '…' }] }]);
  });
});
