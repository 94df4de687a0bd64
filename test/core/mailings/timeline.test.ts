import { deepEqual, equal, ok } from 'node:assert/strict';
import { readCharts, readSubjectCharts } from '../../../console/chart-data.ts';
import { openedOverTime } from '../../../core/mailings/events-over-time.ts';
import { readResults } from '../../../core/mailings/results.ts';
import { momentOf, stepFor } from '../../../core/mailings/timeline.ts';
import { eraseUser } from '../../../core/people/erase.ts';
import { mergeUsers } from '../../../core/people/merge.ts';
import { clearOld } from '../../../core/retention.ts';
import type { TrackedEvent } from '../../../core/tracking/track-writer.ts';
import { sqlOn } from '../../../db/sql.ts';
import { inOneTransaction } from '../../../db/transaction.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { become, seedMailing } from '../../support/sending.ts';
import { track } from '../../support/tracking.ts';

const PEOPLE = 40;
const EVENTS = 1500;
const BEGUN = Date.parse('2026-01-05T09:17:23.456Z');
/** Made anew on each run; set it to repeat one. */
const SEED = Number(process.env['TIMELINE_SEED'] ?? Date.now() % 1_000_000);

type Happened = TrackedEvent & { at: Date };

describe('what is counted of a mailing over time', () => {
  let api: TestApi;
  let mailing: number;
  let state = SEED + 1;
  const under = (most: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
  before(async () => {
    api = await startApi({ TRACKING_DAYS: '30' });
    mailing = await seedMailing(api.pool, PEOPLE);
    await api.pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'A'), ($1, 1, 'B')`, [mailing]);
    await api.pool.query(`update core_mailing set status = 'completed', started_at = $2, finished_at = $2 where id = $1`, [
      mailing,
      new Date(BEGUN),
    ]);
    await become(
      api.pool,
      mailing,
      Array.from({ length: PEOPLE }, (_, n) => ({ position: n + 1, state: 2 })),
    );
  });
  after(() => api.close());

  it('is kept as finely as the shortest chart that can show it, and no finer', async () => {
    const widths = async (seconds: number) => {
      const [at, begun] = [new Date(BEGUN + seconds * 1000), new Date(BEGUN)];
      const moments = `${momentOf('$1::timestamptz', '$2::timestamptz', 'second')} as fine, ${momentOf('$1::timestamptz', '$2::timestamptz', 'minute')} as coarse`;
      const { rows } = await api.pool.query(`select ${moments}`, [at, begun]);
      const width = (moment: Date) => [3600, 60, 1].find((each) => (moment.getTime() / 1000) % each === 0)!;
      return [width(rows[0].fine), width(rows[0].coarse)] as const;
    };
    for (const seconds of [0, 59, 4799, 4800, 4900, 287_999, 288_100, 295_000, 400 * 86_400]) {
      const [fine, coarse] = await widths(seconds);
      for (const span of [seconds, seconds + 3600, seconds * 2, seconds * 50]) {
        equal(stepFor(span) % fine, 0, `steps of ${stepFor(span)} s from moments of ${fine}`);
        equal(Math.max(60, stepFor(span)) % coarse, 0, `steps of ${stepFor(span)} s from moments of ${coarse}`);
      }
    }
    deepEqual(await widths(400 * 86_400), [3600, 3600]);
  });

  it(`is exact, whatever becomes of people and of single events (seed ${SEED})`, async () => {
    const counted: Happened[] = [];
    const gone = new Set<number>();
    // What they do by the mails they have is done by whom they were merged with.
    const became = new Map<number, number>();
    const isKnown = (id: number): boolean => (became.has(id) ? isKnown(became.get(id)!) : !gone.has(id));
    const event = (): Happened => {
      // Most of them soon, some after days and months.
      const seconds = under(2) ? under(9000) : under(3) ? under(600_000) : under(100 * 86_400);
      const link = under(3) ? null : under(4);
      // In the middle of a minute: until they are written they grow older by what the machine takes.
      const at = new Date(BEGUN + (seconds - (seconds % 60) + 7) * 1000);
      return { userId: 1 + under(PEOPLE), mailingId: mailing, link, machine: under(5) === 0, at };
    };
    const live = async () => (await api.pool.query('select id from core_user order by id')).rows.map(({ id }) => id as number);
    const changes = [
      async () => {
        const id = (await live())[under(5)]!;
        gone.add(id);
        equal((await api.call('DELETE', `/rest/v1/user/${id}/`)).statusCode, 204);
      },
      async () => {
        // Nobody is merged into somebody who was erased.
        const erased = (await api.pool.query('select user_id from core_erasure')).rows.map(({ user_id }) => user_id);
        const people = await live();
        const one = people.find((id) => !erased.includes(id));
        const other = people.find((id) => id !== one);
        became.set(other!, one!);
        const { rows } = await api.pool.query(
          'insert into core_usermerge (primary_user, users, address_user, source_user) values ($1, $2, $1, $1) returning id',
          [one, JSON.stringify([one, other])],
        );
        await inOneTransaction(api.pool, (sql) => mergeUsers(sql, rows[0].id));
      },
      async () => {
        const { rows } = await api.pool.query('insert into core_erasure (user_id) values ($1) returning id', [(await live())[under(9)]]);
        await inOneTransaction(api.pool, (sql) => eraseUser(sql, rows[0].id, api.env.SECRET_KEY));
      },
      () => clearOld({ pool: api.pool, env: api.env, log: { info: () => {}, warn: () => {}, error: () => {} } }),
    ];
    for (let round = 0; round < 8; round++) {
      // Several processes at once.
      const processes = [1, 2, 3].map(() => Array.from({ length: EVENTS / 24 }, event));
      await Promise.all(processes.map((events) => track(api.pool, ...events)));
      counted.push(...processes.flat().filter(({ userId }) => isKnown(userId)));
      await changes[round % changes.length]!();
      await agree(counted);
    }
    const { rows } = await api.pool.query(
      'select (select count(*)::int from core_open) as kept, count(*)::int as n from core_trackedtimeline',
    );
    ok(rows[0].kept < counted.length / 2, 'single ones went');
    ok(rows[0].n < counted.length, `${rows[0].n} rows for ${counted.length}`);
  });

  /** Charts of any step, and those by subject, beside the events themselves and the totals of the results. */
  async function agree(counted: Happened[]): Promise<void> {
    const sql = sqlOn(api.pool);
    const people = counted.filter(({ machine }) => !machine);
    const last = Math.max(...people.map(({ at }) => (at.getTime() - BEGUN) / 1000));
    for (const step of [Math.max(60, stepFor(last)), 86_400, 7 * 86_400]) {
      const found = (await openedOverTime(sql, mailing, step)).toSorted((a, b) => a.at - b.at);
      const byStep = Map.groupBy(people, ({ at }) => Math.floor(at.getTime() / 1000 / step) * step);
      const anew = [...byStep].map(([at, events]) => {
        const opens = events.filter(({ link }) => link === null).length;
        return { at, opens, clicks: events.length - opens };
      });
      deepEqual(
        found,
        anew.toSorted((a, b) => a.at - b.at),
      );
    }
    const { totals, subjects } = await readResults(api.pool, mailing);
    const { opens } = await readCharts(sql, mailing);
    const sum = (values: (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
    deepEqual(
      opens.series.map(({ values }) => sum(values)),
      [totals.total_opens, totals.total_clicks],
    );
    const charts = await readSubjectCharts(
      sql,
      mailing,
      subjects.map((each) => ({ subject: each.subject, recipients: 100 })),
    );
    for (const kind of ['opens', 'clicks'] as const) {
      deepEqual(
        charts[kind].series.map(({ values }) => values.at(-1)),
        subjects.map((each) => each[kind]),
      );
    }
  }

  it('says of each person when they first did', async () => {
    const other = await seedMailing(api.pool, 4);
    await api.pool.query(`update core_mailing set started_at = $2, finished_at = $2 where id = $1`, [other, new Date(BEGUN)]);
    await api.pool.query(`insert into core_mailingsubject (mailing_id, position, text) values ($1, 0, 'A')`, [other]);
    const { rows } = await api.pool.query('select user_id from send_record where mailing_id = $1 order by position', [other]);
    const at = (minutes: number) => new Date(BEGUN + minutes * 60_000);
    const say = (...events: [person: number, minutes: number, machine?: boolean][]) => {
      const did = events.map(([person, minutes, machine]) => ({
        userId: rows[person].user_id,
        mailingId: other,
        machine: machine === true,
        at: at(minutes),
      }));
      return track(api.pool, ...did);
    };
    await say([0, 5], [0, 3], [1, 1, true], [1, 4]);
    await say([0, 6], [1, 7], [2, 9], [2, 8]);
    const { opens } = await readSubjectCharts(sqlOn(api.pool), other, [{ subject: 'A', recipients: 100 }]);
    const minute = (seconds: number) => Math.floor((seconds - Math.floor(BEGUN / 60_000) * 60) / 60);
    deepEqual(
      opens.times.map((time, n) => [minute(time), opens.series[0]!.values[n]]),
      [2, 3, 4, 5, 6, 7, 8, 9].map((time) => [time, time < 3 ? 0 : time < 4 ? 1 : time < 8 ? 2 : 3]),
    );
  });

  it('has the mails, too, that an operator takes for accepted long after the end', async () => {
    const day = (days: number) => new Date(Date.now() - days * 86_400_000);
    const late = await seedMailing(api.pool, 8, { shardSize: 4 });
    const came = (positions: number[], recorded: boolean) =>
      become(
        api.pool,
        late,
        positions.map((position) => ({ position, state: position % 2 ? 2 : 5, at: day(20) })),
        { recorded },
      );
    await came([1, 2, 3, 4], true);
    await api.pool.query('update send_shard set finished = true, accepted = 2, uncertain = 2 where mailing_id = $1 and shard = 0', [late]);
    const accepted = async () => {
      const [sends] = (await readCharts(sqlOn(api.pool), late)).sends.series;
      return sends?.values.reduce<number>((all, value) => all + (value ?? 0), 0);
    };
    const settle = () => api.call('POST', `/rest/v1/mailer/${late}/uncertain/accept/`);
    await api.pool.query(`update core_mailing set status = 'stopped', started_at = $2, finished_at = $2 where id = $1`, [late, day(20)]);
    equal(await accepted(), 2);
    await settle();
    equal(await accepted(), 4);
    // In a shard that is not finished, where the log alone says so.
    await api.pool.query('update send_exception set changed_at = $2 where mailing_id = $1', [late, day(20)]);
    await came([5, 6, 7, 8], false);
    await settle();
    equal(await accepted(), 8);
  });
});
