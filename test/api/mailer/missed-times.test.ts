import { deepEqual, doesNotMatch, equal, match, notEqual } from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createRecurringActivities } from '../../../activities/recurring.ts';
import { runCommand } from '../../../cli/command-line.ts';
import { readEnv } from '../../../config/env.ts';
import { lookAtDatabase } from '../../../core/health/database.ts';
import type { Finding } from '../../../domain/finding.ts';
import { workflowId } from '../../../workflows/contracts.ts';
import { ADMIN, startApi, type TestApi } from '../../support/api.ts';
import { ConsoleVisitor, text } from '../../support/console-visitor.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { idIn, READY } from '../../support/mailings.ts';

const HOUR = 3_600_000;

describe('a time of a recurring mailing at which nobody was there', () => {
  let api: TestApi;
  let visitor: ConsoleVisitor;
  let warned: unknown[][];
  const DATA_DIR = dataFolder();

  before(async () => {
    api = await startApi();
    visitor = new ConsoleVisitor(api.app);
    await visitor.logIn(ADMIN);
  });
  after(() => api.close());
  beforeEach(async () => {
    warned = [];
    await api.pool.query('delete from core_recurringschedule');
  });

  const ofRecurring = (found: Finding[]) => found.filter(({ part }) => part === 'recurring');
  /** What doctor says of it, in its document. */
  const doctor = async () => {
    const out: string[] = [];
    const terminal = { out: (line: string) => void out.push(line), problem() {}, redraw: null, ask: null, input: async () => '' };
    await runCommand(['doctor', '--json'], { DATA_DIR, DATABASE_URL: api.databaseUrl, ALLOW_ASYNC_STANDBY: 'true' }, terminal);
    return ofRecurring(JSON.parse(out.join('\n')));
  };
  const told = async (more: Record<string, string> = {}) =>
    ofRecurring(await lookAtDatabase(api.databaseUrl, readEnv({ DATA_DIR, ...more })));
  const page = async (id: number, path = '') => text((await visitor.get(`/console/mailings/${id}/${path}`)).body);

  /** The half hour of India that was due so many hours ago. */
  const due = new Date(Math.floor((Date.now() - 3 * HOUR) / HOUR) * HOUR);
  const shown = new Date(due.getTime() + 5.5 * HOUR).toISOString();
  const IN_INDIA = { hour: Number(shown.slice(11, 13)), minute: 30, timezone: 'Asia/Kolkata' };

  /** One that recurs, for as long as that. */
  const recurring = async (body: object, since = '60 days') => {
    const mailing = await api.create('mailer', READY);
    await api.create('recurringschedule', { mailing, ...body });
    await changed(idIn(mailing), since);
    return idIn(mailing);
  };
  const changed = (id: number, ago: string) =>
    api.pool.query('update core_recurringschedule set updated_at = now() - $2::interval where mailing_id = $1', [id, ago]);

  /** What its run does. */
  const runs = (id: number, run: string) => {
    const log = { info() {}, warn: (...line: unknown[]) => void warned.push(line), error() {} };
    const { copyRecurring } = createRecurringActivities({ pool: api.pool, env: api.env, temporal: {} as never, log });
    const workflowExecution = { workflowId: `${workflowId.runRecurring(id)}-${run}`, runId: 'run' };
    return new MockActivityEnvironment({ workflowExecution }).run(copyRecurring, { mailingId: id });
  };

  it('is told by doctor and on its pages, until it goes out again', async () => {
    const id = await recurring({ period: 'daily', ...IN_INDIA });
    const [day, time] = [shown.slice(0, 10), shown.slice(11, 16)];
    const [finding, ...others] = await doctor();
    deepEqual([finding?.state, finding?.says], ['look', `did not go out: mailing ${id} at ${day}T${time} by the clocks of Asia/Kolkata`]);
    match(finding!.todo, /by hand, as a copy/);
    equal(others.length, 0);
    const sentence = new RegExp(`It did not go out on ${day} at ${time}, by the clocks of Asia/Kolkata, and will not any more`);
    for (const path of ['', 'schedule/']) match(await page(id, path), sentence);
    match((await visitor.get(`/console/mailings/${id}/live`)).body, /It did not go out on/);

    notEqual(await runs(id, 'by-hand'), null);
    deepEqual(await doctor(), []);
    for (const path of ['', 'schedule/']) doesNotMatch(await page(id, path), /did not go out/);
  });

  it('is not told where a copy went out for it by a clock of Temporal that was ahead', async () => {
    // In the midst of two: no other one is the last while this is looked at.
    const last = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 1.5 * HOUR);
    const hourly = { period: 'hourly', minute: last.getUTCMinutes(), timezone: 'UTC' };
    for (const [body, occasion] of [
      [{ period: 'daily', ...IN_INDIA }, (id: number) => `${id} ${shown.slice(0, 16)} Asia/Kolkata`],
      [hourly, (id: number) => `${workflowId.runRecurring(id)}-${last.toISOString().slice(0, 19)}Z`],
    ] as const) {
      const id = await recurring(body);
      equal((await told()).length, 1);
      const copy = await runs(id, 'by-hand');
      await api.pool.query(`update core_mailing set created_at = now() - interval '5 hours' where id = $1`, [copy]);
      for (const [own, many] of [
        [occasion(id), 0],
        [`another ${id}`, 1],
      ] as const) {
        await api.pool.query('update core_recurringcopy set occasion = $2 where mailing_id = $1', [copy, own]);
        equal((await told()).length, many, own);
      }
      await api.pool.query('delete from core_recurringschedule');
    }
  });

  it('is not told while it may still go out, of a time before the schedule was changed, of one that does not recur, nor where nothing is sent', async () => {
    const id = await recurring({ period: 'daily', ...IN_INDIA }, '1 hour');
    deepEqual(await told(), [], 'changed since');
    await changed(id, '2 days');
    equal((await told()).length, 1);
    deepEqual(await told({ SENDING_ENABLED: 'false' }), []);
    // It was due the day before, too.
    await changed(id, '20 hours');
    deepEqual(await told({ SCHEDULE_GRACE_MINUTES: '300' }), []);
    await api.pool.query('update core_mailing set stop_requested = true where id = $1', [id]);
    deepEqual(await told(), []);
  });

  it('is sent by hand, and told no more, as docs/operations.md says', async () => {
    const yesterday = { period: 'weekly', weekday: new Date(Date.now() - 24 * HOUR).getUTCDay(), timezone: 'UTC' };
    const id = await recurring(yesterday);
    const copied = await api.call('POST', `/rest/v1/mailer/${id}/copy/`);
    const copy = new URL(copied.headers['location'] as string, 'http://api').pathname;
    equal((await api.call('PATCH', copy, { rebuild_query_at_send: true })).statusCode, 202);
    equal((await api.call('POST', `${copy}queue/`)).statusCode, 201);
    equal((await told()).length, 1);
    const { recurring_schedule: schedule } = await api.read(`/rest/v1/mailer/${id}/`);
    for (const active of [false, true]) equal((await api.call('PATCH', schedule, { active })).statusCode, 202);
    deepEqual(await told(), []);
    // Or by its schedule.
    await changed(id, '60 days');
    equal((await told()).length, 1);
    notEqual(await runs(id, 'by-hand'), null);
    deepEqual(await told(), []);
  });

  it('names a few of many', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n++) ids.push(await recurring({ period: 'weekly', weekday: n, timezone: 'UTC' }));
    match((await told())[0]!.says, new RegExp(`^did not go out: mailing ${ids[0]} at .*, ${ids[1]} at .*, ${ids[2]} at [^,]* and 2 more$`));
  });

  it('is in the log when a run comes for it that waited too long', async () => {
    const id = await recurring({ period: 'daily', ...IN_INDIA });
    equal(await runs(id, `${due.toISOString().slice(0, 19)}Z`), null);
    deepEqual(warned, [
      [
        { mailingId: id, time: due.toISOString() },
        'left out a time of a recurring mailing: it is past by more than SCHEDULE_GRACE_MINUTES',
      ],
    ]);
  });
});
