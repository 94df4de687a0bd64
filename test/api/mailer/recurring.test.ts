import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createRecurringActivities, ensureRecurring } from '../../../activities/recurring.ts';
import { createSweepActivities } from '../../../activities/sweep.ts';
import { temporalWorkflows } from '../../../api/plugins/workflows.ts';
import { converting } from '../../../config/payload-codec.ts';
import { readRecurring } from '../../../core/mailings/recurring.ts';
import { gapsIn } from '../../../domain/clocks.ts';
import { UnavailableError } from '../../../domain/errors.ts';
import { utcTime } from '../../../domain/local-time.ts';
import { recurringSchedule, workflowId } from '../../../workflows/contracts.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { inActivity } from '../../support/in-activity.ts';
import { idIn, READY } from '../../support/mailings.ts';
import { ScriptedRelay } from '../../support/sending.ts';
import { createNamespace, PatientClient, type TestNamespace } from '../../support/temporal.ts';
import { runWorker } from '../../support/worker.ts';

describe('recurring schedules', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());
  afterEach(() => {
    api.workflows.failure = null;
  });
  const status = async (uri: string) => (await api.read(uri)).status;

  it('make a draft recur, move, and give it back', async () => {
    const mailing = await api.create('mailer', READY);
    const id = workflowId.runRecurring(idIn(mailing));
    const uri = await api.create('recurringschedule', { mailing, period: 'weekly', weekday: 1, hour: 9, timezone: 'America/New_York' });
    equal(await status(mailing), 'recurring');
    equal((await api.read(mailing)).recurring_schedule, uri);
    equal((await api.read(`${mailing}status/`)).recurring_schedule, uri);
    equal(api.workflows.schedules.get(id)?.spec.cronExpressions[0], '0 9 * * 1');
    equal(api.workflows.schedules.get(id)?.spec.timezone, 'America/New_York');
    equal((await api.call('POST', `${mailing}queue/`)).statusCode, 400);
    equal((await api.call('POST', '/rest/v1/recurringschedule/', { mailing })).statusCode, 400);

    equal((await api.call('PATCH', uri, { period: 'hourly', minute: 30 })).statusCode, 202);
    equal(api.workflows.schedules.get(id)?.spec.cronExpressions[0], '30 * * * *');
    equal((await api.call('POST', `${mailing}stop/`)).statusCode, 202);
    equal(await status(mailing), 'draft');
    equal((await api.read(uri)).active, false);
    equal(api.workflows.schedules.has(id), false);

    equal((await api.call('PATCH', uri, { active: true })).statusCode, 202);
    equal(await status(mailing), 'recurring');
    equal((await api.call('DELETE', uri)).statusCode, 204);
    equal(await status(mailing), 'draft');
    equal(api.workflows.schedules.has(id), false);
    equal((await api.read(mailing)).recurring_schedule, null);
  });

  it('refuse what cannot recur, and change nothing', async () => {
    const mailing = await api.create('mailer', READY);
    for (const [field, value] of Object.entries({
      minute: 60,
      hour: -1,
      weekday: 7,
      day: 29,
      timezone: 'Nowhere/Land',
      period: 'yearly',
    })) {
      const answer = await api.call('POST', '/rest/v1/recurringschedule/', { mailing, [field]: value });
      equal(answer.statusCode, 400, field);
      match(answer.body, new RegExp(field));
    }
    const empty = await api.create('mailer', { subjects: ['Hello'] });
    const answer = await api.call('POST', '/rest/v1/recurringschedule/', { mailing: empty });
    equal(answer.statusCode, 400);
    match(answer.body, /"mailing":\["The HTML is missing\.","A from line is missing\."\]/);
    equal(await status(mailing), 'draft');
    equal(api.workflows.schedules.size, 0);
  });

  it('let nobody else stand for who made the mailing recur', async () => {
    const mailing = await api.create('mailer', READY);
    await api.create('recurringschedule', { mailing, period: 'daily' });
    const other = await api.create('authuser', { username: 'other', email: 'other@example.org', password: 'a-long-password' });
    equal((await api.call('PATCH', mailing, { queued_by: other, notes: 'seen' })).statusCode, 202);
    equal((await api.read(mailing)).queued_by, null);
    // Whose name its copies go out under.
    const refused = await api.call('PATCH', mailing, { scheduled_by: other });
    deepEqual([refused.statusCode, Object.keys(refused.json().errors)], [400, ['scheduled_by']]);
    equal((await api.call('PATCH', mailing.replace('mailer', 'mailing'), { queued_by: other, scheduled_by: other })).statusCode, 202);
    const { queued_by, scheduled_by } = await api.read(mailing);
    deepEqual([queued_by, scheduled_by], [null, '/rest/v1/authuser/1/']);
  });

  it('leave nothing half-done while the workflow service is away', async () => {
    const mailing = await api.create('mailer', READY);
    api.workflows.failure = new UnavailableError('away');
    equal((await api.call('POST', '/rest/v1/recurringschedule/', { mailing })).statusCode, 503);
    equal(await status(mailing), 'draft');
    equal((await api.read(mailing)).recurring_schedule, null);
  });
});

describe('a recurring mailing on the real server', () => {
  let place: TestNamespace;
  let api: TestApi;
  before(async () => {
    place = await createNamespace();
    place.client = new PatientClient({ connection: place.client.connection, namespace: place.namespace });
    api = await startApi({}, undefined, temporalWorkflows(place.client));
  });
  after(() => api?.close());

  it('goes out as one copy to everyone each time, until it is stopped', async () => {
    const relay = new ScriptedRelay(2);
    const worker = await runWorker(place, { DATABASE_URL: api.databaseUrl, DATA_DIR: dataFolder() }, { relay });
    await api.pool.query(
      `with l as (insert into core_list (name) values ('All') returning id),
         u as (insert into core_user (email, subscription_status) select 'u' || i || '@example.org', 'subscribed' from generate_series(1, 20) i returning id)
       insert into core_subscription (list_id, user_id) select l.id, u.id from l, u`,
    );
    const mailing = await api.create('mailer', READY);
    const id = idIn(mailing);
    await api.create('recurringschedule', { mailing, period: 'monthly' });
    const handle = place.client.schedule.getHandle(workflowId.runRecurring(id));
    await handle.trigger();
    const copies = async () =>
      (await api.pool.query('select id, status from core_mailing where recurring_source_mailing_id = $1', [id])).rows as {
        id: number;
        status: string;
      }[];
    for (let tries = 0; tries < 2000 && (await copies())[0]?.status !== 'completed'; tries++) await sleep(100);
    const made = await copies();
    deepEqual(
      made.map((copy) => copy.status),
      ['completed'],
    );
    const { rows } = await api.pool.query('select sum(accepted)::int as accepted from send_shard where mailing_id = $1', [made[0]!.id]);
    equal(rows[0].accepted, 20);
    equal((await api.read(mailing)).status, 'recurring');
    equal((await api.read(`/rest/v1/mailer/${made[0]!.id}/`)).recurring_source_mailing, mailing);

    equal((await api.call('POST', `${mailing}stop/`)).statusCode, 202);
    await worker.stop();
    let gone = false;
    await handle.describe().catch(() => {
      gone = true;
    });
    equal(gone, true);
  });

  it('is left out at a time that is long past, as where the schedule is backfilled, and its run says so', async () => {
    const mailing = await api.create('mailer', READY);
    await api.create('recurringschedule', { mailing, period: 'daily', hour: 9 });
    const worker = await runWorker(place, { DATABASE_URL: api.databaseUrl, DATA_DIR: dataFolder() }, { relay: new ScriptedRelay(2) });
    const handle = place.client.schedule.getHandle(workflowId.runRecurring(idIn(mailing)));
    const day = 24 * 3_600_000;
    await handle.backfill({ start: new Date(Date.now() - 4 * day), end: new Date(Date.now() - 2 * day), overlap: 'ALLOW_ALL' });
    let runs: { workflow: { workflowId: string } }[] = [];
    while (!runs.length) runs = (await handle.describe()).info.recentActions.map(({ action }) => action);
    const run = place.client.workflow.getHandle(runs[0]!.workflow.workflowId);
    equal(await run.result(), null);
    const { currentDetails } = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    match(currentDetails, /this time was missed by more than SCHEDULE_GRACE_MINUTES/);
    const { rows } = await api.pool.query('select id from core_mailing where recurring_source_mailing_id = $1', [idIn(mailing)]);
    deepEqual(rows, []);
    equal((await api.call('POST', `${mailing}stop/`)).statusCode, 202);
    await worker.stop();
  });

  it('is refused for a time zone that only we know, and nothing changes', async () => {
    const mailing = await api.create('mailer', READY);
    const uri = await api.create('recurringschedule', { mailing, timezone: 'Europe/Berlin' });
    const other = await api.create('mailer', READY);
    for (const timezone of ['america/new_york', 'gmt']) {
      for (const answer of [
        await api.call('PATCH', uri, { timezone }),
        await api.call('POST', '/rest/v1/recurringschedule/', { mailing: other, timezone }),
      ]) {
        equal(answer.statusCode, 400, answer.body);
        match(answer.body, /timezone/);
      }
    }
    equal((await api.read(uri)).timezone, 'Europe/Berlin');
    equal((await api.read(other)).status, 'draft');
    const schedule = place.client.schedule.getHandle(workflowId.runRecurring(idIn(mailing)));
    equal((await schedule.describe()).spec.timezone, 'Europe/Berlin');
  });

  it('gets a schedule that was lost again, and loses one that is left over', async () => {
    const mailing = await api.create('mailer', READY);
    const uri = await api.create('recurringschedule', { mailing, period: 'daily', hour: 5, timezone: 'Europe/Berlin' });
    const handle = place.client.schedule.getHandle(workflowId.runRecurring(idIn(mailing)));
    const deps = { pool: api.pool, temporal: place.client, env: api.env };
    equal(await ensureRecurring(deps), 0);
    await handle.delete();
    equal(await ensureRecurring(deps), 1);
    equal((await handle.describe()).spec.timezone, 'Europe/Berlin');

    equal((await api.call('PATCH', uri, { hour: 7 })).statusCode, 202);
    deepEqual((await handle.describe()).spec.calendars?.[0]?.hour, [{ start: 7, end: 7, step: 1 }]);

    const edited = { calendars: [{ hour: 9, minute: 0 }], timezone: 'Europe/Berlin' };
    const moved = (await handle.describe()).spec.calendars;
    await handle.update(({ spec: _, ...before }) => ({ ...before, spec: edited }));
    equal(await ensureRecurring(deps), 1, 'edited in the Temporal UI');
    deepEqual((await handle.describe()).spec.calendars, moved);
    for (const times of [{ period: 'hourly' }, { period: 'weekly', weekday: 0 }, { period: 'monthly', day: 28 }, { hour: 2, minute: 30 }])
      await api.create('recurringschedule', { mailing: await api.create('mailer', READY), timezone: 'America/New_York', ...times });
    equal(await ensureRecurring(deps), 0);

    // As after a stop while the workflow service was away.
    await api.pool.query('update core_recurringschedule set active = false where mailing_id = $1', [idIn(mailing)]);
    const worker = await runWorker(place, { DATABASE_URL: api.databaseUrl, DATA_DIR: dataFolder() }, { relay: new ScriptedRelay(2) });
    await handle.trigger();
    const there = () =>
      handle.describe().then(
        () => true,
        () => false,
      );
    for (let tries = 0; tries < 2000 && (await there()); tries++) await sleep(100);
    equal(await there(), false);
    const { rows } = await api.pool.query('select id from core_mailing where recurring_source_mailing_id = $1', [idIn(mailing)]);
    deepEqual(rows, []);
    await worker.stop();
  });

  it('keeps to its row when a change is taken by the workflow service and then fails here', async () => {
    const mailing = await api.create('mailer', READY);
    const uri = await api.create('recurringschedule', { mailing, period: 'daily', hour: 9 });
    const handle = place.client.schedule.getHandle(workflowId.runRecurring(idIn(mailing)));
    const hour = async () => {
      const { spec } = await handle.describe();
      return [spec.calendars?.[0]?.hour?.[0]?.start, spec.timezone];
    };
    deepEqual(await hour(), [9, 'UTC']);
    equal(await ensureRecurring({ pool: api.pool, temporal: place.client, env: api.env }), 0);
    // Refuses the transaction when it ends, after all that was asked of the service.
    await api.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create constraint trigger refuse after update on core_recurringschedule deferrable initially deferred for each row execute function refuse()`);
    equal((await api.call('PATCH', uri, { hour: 17, timezone: 'Europe/Berlin' })).statusCode, 500);
    await api.pool.query('drop function refuse cascade');
    deepEqual(await hour(), [17, 'Europe/Berlin']);
    equal((await api.read(uri)).hour, 9);
    equal(await ensureRecurring({ pool: api.pool, temporal: place.client, env: api.env }), 1);
    deepEqual(await hour(), [9, 'UTC']);
    equal(await ensureRecurring({ pool: api.pool, temporal: place.client, env: api.env }), 0);
  });

  it('stays moved, or switched off, where that is done while the sweep looks at it', async () => {
    const mailing = await api.create('mailer', READY);
    const uri = await api.create('recurringschedule', { mailing, period: 'daily', hour: 9 });
    const { schedule } = place.client;
    const handle = schedule.getHandle(workflowId.runRecurring(idIn(mailing)));
    /** Changes it when the sweep has read its row, and not yet asked for its schedule. */
    const swept = (change: object) => {
      const changes = [change];
      const getHandle = (id: string) => {
        const asked = schedule.getHandle(id);
        const describe = async () => {
          const next = id === handle.scheduleId && changes.pop();
          if (next) equal((await api.call('PATCH', uri, next)).statusCode, 202);
          return asked.describe();
        };
        return new Proxy(asked, { get: (of, name) => (name === 'describe' ? describe : Reflect.get(of, name)) });
      };
      const create = schedule.create.bind(schedule);
      const temporal = { withDeadline: (_at: number, work: () => unknown) => work(), schedule: { getHandle, create } };
      return ensureRecurring({ pool: api.pool, temporal: temporal as unknown as typeof place.client, env: api.env });
    };
    await swept({ hour: 17 });
    equal((await handle.describe()).spec.calendars?.[0]?.hour?.[0]?.start, 17);
    await swept({ active: false });
    await rejects(handle.describe(), /not found/);
  });

  /** Makes the copy of a run that the schedule of a mailing started for a time. */
  const copyAt = (mailingId: number, time: string, when?: string) => {
    const log = { info() {}, warn() {}, error() {} };
    const { copyRecurring } = createRecurringActivities({ pool: api.pool, env: api.env, temporal: place.client, log });
    const workflowExecution = { workflowId: `${workflowId.runRecurring(mailingId)}-${time}`, runId: 'run' };
    return new MockActivityEnvironment({ workflowExecution }).run(copyRecurring, { mailingId, ...(when && { when }) });
  };
  const copiesOf = async (mailingId: number) =>
    (await api.pool.query('select id from core_mailing where recurring_source_mailing_id = $1', [mailingId])).rows.length;

  it('is copied once for each time, however often that is tried', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    await api.create('recurringschedule', { mailing });
    const at = (time: string) => copyAt(mailingId, time);
    const first = await Promise.all([at('2030-01-01T00:00:00Z'), at('2030-01-01T00:00:00Z')]);
    equal(first[0], first[1]);
    equal(await at('2030-01-01T00:00:00Z'), first[0]);
    notEqual(await at('2030-01-02T00:00:00Z'), first[0]);
    equal(await copiesOf(mailingId), 2);
    await api.pool.query('update core_mailing set stop_requested = true where id = $1', [mailingId]);
    equal(await at('2030-01-01T00:00:00Z'), first[0], 'it is queued, and goes out');
  });

  it('is copied once by a run that is tried again after it was given another time', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    const schedule = await api.create('recurringschedule', { mailing, hour: 9 });
    const first = await copyAt(mailingId, '2030-01-01T09:00:00Z');
    equal((await api.call('PATCH', schedule, { hour: 10 })).statusCode, 202);
    equal(await copyAt(mailingId, '2030-01-01T09:00:00Z'), first);
    equal(await copiesOf(mailingId), 1);
  });

  it('is not copied for a time there was before it was given another, and is for one that was due before that', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    const schedule = await api.create('recurringschedule', { mailing, hour: 9 });
    const { when } = recurringSchedule(mailingId, (await readRecurring(api.pool)).find((each) => each.mailingId === mailingId)!).action
      .args[0]!;
    equal((await api.call('PATCH', schedule, { hour: 10 })).statusCode, 202);
    equal(await copyAt(mailingId, `${new Date(Date.now() + 2_000).toISOString().slice(0, 19)}Z`, when), null);
    equal(await copiesOf(mailingId), 0);
    notEqual(await copyAt(mailingId, `${new Date(Date.now() - 60_000).toISOString().slice(0, 19)}Z`, when), null);
  });

  it('is moved before it is copied or after it, never in between', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    await api.create('recurringschedule', { mailing, hour: 9 });
    const { when } = recurringSchedule(mailingId, (await readRecurring(api.pool)).find((each) => each.mailingId === mailingId)!).action
      .args[0]!;
    const moving = await api.pool.connect();
    await moving.query('begin');
    await moving.query('update core_recurringschedule set hour = 10, updated_at = now() where mailing_id = $1', [mailingId]);
    const copied = copyAt(mailingId, `${new Date(Date.now() + 2_000).toISOString().slice(0, 19)}Z`, when);
    await sleep(200);
    await moving.query('update core_mailing set updated_at = now() where id = $1', [mailingId]);
    await moving.query('commit');
    moving.release();
    equal(await copied, null);
  });

  it('is copied once a day by whoever starts runs of it by hand, under ids of their own', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    // One in which the day does not turn within hours.
    const timezone = new Date().getUTCHours() < 12 ? 'Etc/GMT' : 'Etc/GMT+12';
    await api.create('recurringschedule', { mailing, period: 'daily', hour: 9, timezone });
    const first = await copyAt(mailingId, 'by-hand');
    ok(first);
    deepEqual([await copyAt(mailingId, 'by-hand'), await copyAt(mailingId, 'once-more')], [first, null]);
    equal(await copiesOf(mailingId), 1);
  });

  it('is copied no more once it was asked to stop, though whoever asked was killed before it was a draft', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    const schedule = await api.create('recurringschedule', { mailing });
    await api.pool.query('update core_mailing set stop_requested = true where id = $1', [mailingId]);
    equal(await copyAt(mailingId, '2030-01-01T00:00:00Z'), null);
    equal(await copiesOf(mailingId), 0);
    equal((await api.call('PATCH', schedule, { hour: 7 })).statusCode, 202);
    notEqual(await copyAt(mailingId, '2030-01-02T07:00:00Z'), null);
  });

  it('is a draft again though whoever asked it to stop was killed before that', async () => {
    const [mailing, other] = [await api.create('mailer', READY), await api.create('mailer', READY)];
    const schedule = await api.create('recurringschedule', { mailing });
    await api.create('recurringschedule', { mailing: other });
    const log = { info() {}, warn() {}, error() {} };
    const status = async (uri: string) => (await api.read(uri)).status;
    const deps = { env: api.env, pool: api.pool, sendPool: api.pool, temporal: place.client, log, relay: new ScriptedRelay(1) };
    const { startForgotten } = inActivity(createSweepActivities({ ...deps, shuttingDown: new AbortController().signal }));
    await api.pool.query('update core_mailing set stop_requested = true, updated_at = now() where id = $1', [idIn(mailing)]);
    await startForgotten();
    equal(await status(mailing), 'recurring');
    await api.pool.query(`update core_mailing set updated_at = now() - interval '1 minute'`);
    await startForgotten();
    deepEqual([await status(mailing), (await api.read(schedule)).active, await status(other)], ['draft', false, 'recurring']);
    equal((await api.call('PATCH', schedule, { active: true })).statusCode, 202);
    equal(await status(mailing), 'recurring');
  });

  it('is not copied for a time that is past by more than SCHEDULE_GRACE_MINUTES', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    await api.create('recurringschedule', { mailing, period: 'hourly' });
    const ago = (minutes: number) => `${new Date(Date.now() - 60_000 * minutes).toISOString().slice(0, 19)}Z`;
    equal(await copyAt(mailingId, ago(3 * 24 * 60)), null);
    equal(await copyAt(mailingId, ago(api.env.SCHEDULE_GRACE_MINUTES + 1)), null);
    equal(await copiesOf(mailingId), 0);
    notEqual(await copyAt(mailingId, ago(api.env.SCHEDULE_GRACE_MINUTES - 1)), null);
  });

  it('is late by the clock of the database, whatever that of its worker says', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    await api.create('recurringschedule', { mailing, period: 'hourly' });
    const { now } = Date;
    const copyWhereItIs = async (offByMinutes: number, ago: number) => {
      const time = `${new Date(now() - 60_000 * ago).toISOString().slice(0, 19)}Z`;
      Date.now = () => now() + 60_000 * offByMinutes;
      return copyAt(mailingId, time).finally(() => {
        Date.now = now;
      });
    };
    const much = 2 * api.env.SCHEDULE_GRACE_MINUTES + 60;
    notEqual(await copyWhereItIs(much, 0), null);
    equal(await copyWhereItIs(-much, much), null);
  });

  it('is copied once where clocks that are put back show its time twice', async () => {
    const mailing = await api.create('mailer', READY);
    const mailingId = idIn(mailing);
    const uri = await api.create('recurringschedule', { mailing, period: 'daily', hour: 1, minute: 30, timezone: 'America/New_York' });
    const both = await Promise.all(['2030-11-03T05:30:00Z', '2030-11-03T06:30:00Z'].map((time) => copyAt(mailingId, time)));
    equal(both.filter((copy) => copy === null).length, 1);
    equal(await copiesOf(mailingId), 1);
    notEqual(await copyAt(mailingId, '2030-11-04T06:30:00Z'), null);
    // What is due every hour has its time in both hours.
    equal((await api.call('PATCH', uri, { period: 'hourly' })).statusCode, 202);
    for (const time of ['2031-11-02T05:30:00Z', '2031-11-02T06:30:00Z']) notEqual(await copyAt(mailingId, time), null);
    equal(await copiesOf(mailingId), 4);
  });

  it('is due as much later as the clocks are put forward where they leave its time out, and at no other time more', async () => {
    const { workflowService } = place.client;
    const year = new Date().getUTCFullYear() + 1;
    const due = async (body: object, from = Date.UTC(year, 0, 1), until = Date.UTC(year + 1, 0, 1)) => {
      const mailing = await api.create('mailer', READY);
      await api.create('recurringschedule', { mailing, period: 'daily', ...body });
      const { startTime } = await workflowService.listScheduleMatchingTimes({
        namespace: place.namespace,
        scheduleId: workflowId.runRecurring(idIn(mailing)),
        startTime: msToTs(from),
        endTime: msToTs(until),
      });
      return startTime.map((time) => new Date(tsToMs(time)).toISOString());
    };
    /** The first Sunday in a month, `weeks` later. */
    const sunday = (month: number, weeks: number) => {
      const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
      return Date.UTC(year, month, 1 + ((7 - first) % 7) + 7 * weeks);
    };
    const HOUR = 3_600_000;
    const days = (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / (24 * HOUR);
    const cases: [number, object][] = [
      [sunday(2, 1) + 7.5 * HOUR, { timezone: 'America/New_York', hour: 2, minute: 30 }],
      [sunday(9, 0) - 8.25 * HOUR, { timezone: 'Australia/Lord_Howe', hour: 2, minute: 15 }],
      [Date.UTC(year, 5, 1, 2, 30), { timezone: 'UTC', hour: 2, minute: 30 }],
    ];
    for (const [moment, body] of cases) {
      const times = await due(body);
      equal(times.length, days);
      ok(times.includes(new Date(moment).toISOString()), JSON.stringify(body));
    }
    // Every hour, also in one that clocks show twice.
    for (const timezone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])
      equal(
        (await due({ period: 'hourly', minute: 15, timezone }, Date.UTC(year, 9, 20), Date.UTC(year, 10, 20))).length,
        31 * 24,
        timezone,
      );
    // Every week, on a day that begins at one o'clock.
    for (const timezone of ['America/Santiago', 'Africa/Cairo']) {
      const [gap] = gapsIn(year, timezone);
      const day = new Date(gap!.until);
      equal(day.getUTCHours(), 1);
      const weekly = await due({ period: 'weekly', weekday: day.getUTCDay(), hour: 9, timezone });
      ok(weekly.includes(`${utcTime(`${day.toISOString().slice(0, 10)}T09:00`, timezone)}.000Z`), weekly.join(' '));
      ok(weekly.length === 52 || weekly.length === 53, weekly.join(' '));
    }
  });

  it('has its schedule under the new key as soon as there is one', async () => {
    const mailing = await api.create('mailer', READY);
    await api.create('recurringschedule', { mailing, period: 'daily' });
    const [old, next] = ['old', 'next'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
    const ensureWith = (keys: string) => {
      const env = { ...api.env, PAYLOAD_KEYS: keys };
      const temporal = new PatientClient({ connection: place.client.connection, namespace: place.namespace, ...converting(env) });
      return ensureRecurring({ pool: api.pool, temporal, env });
    };
    const all = (await readRecurring(api.pool)).length;
    deepEqual([await ensureWith(old!), await ensureWith(old!)], [all, 0]);
    deepEqual([await ensureWith(`${next} ${old}`), await ensureWith(next!)], [all, 0]);
    await rejects(ensureWith(old!), /PAYLOAD_KEYS has no key next/);
  });
});
