import { deepEqual, equal, match } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduleUpdateOptions } from '@temporalio/client';
import { ensureSchedules } from '../../activities/schedules.ts';
import { lookAtTemporal } from '../../api/health/temporal.ts';
import { lookAtZones } from '../../api/health/zone-tables.ts';
import { readEnv } from '../../config/env.ts';
import { recurringSchedule } from '../../workflows/contracts.ts';
import { createNamespace, type TestNamespace } from '../support/temporal.ts';

describe('npm run cli -- doctor, of schedules of the platform that were edited in Temporal', () => {
  let place: TestNamespace;
  const env = () =>
    readEnv({ TEMPORAL_ADDRESS: place.address, TEMPORAL_NAMESPACE: place.namespace, CRM_KIND: 'http', CRM_URL: 'http://127.0.0.1:1' });
  const migrate = () => ensureSchedules(place.client, env());
  const found = async () => {
    const findings = await lookAtTemporal(env());
    const said = (part: string) => {
      const finding = findings.find((each) => each.part === part);
      return finding && finding.state !== 'well' ? `${finding.says}; ${finding.todo}` : undefined;
    };
    return { schedules: said('schedules'), clock: said('clock') };
  };
  /** The list of schedules is a moment behind. */
  const becomes = async (what: RegExp | undefined) => {
    for (;;) {
      const { schedules } = await found();
      if (what ? what.test(schedules ?? '') : schedules === undefined) return;
      await sleep(200);
    }
  };

  before(async () => {
    place = await createNamespace();
    await migrate();
    await becomes(undefined);
  });

  it('says which is not as it was made, and the migration makes it so again, though it was to end after a few runs', async () => {
    for (const [name, change] of [
      ['sweep', { spec: { intervals: [{ every: '2 hours' }] } }],
      ['sweep', { state: { paused: false, remainingActions: 3 } }],
      ['clear-old', { spec: { calendars: [{ hour: 3 }] } }],
      ['crm-sync-changed', { spec: { intervals: [{ every: env().CRM_RESYNC_MINUTES * 60_000 }], endAt: new Date() } }],
      ['sweep', { action: { workflowRunTimeout: '10 seconds' } }],
    ] as const) {
      const handle = place.client.schedule.getHandle(name);
      await handle.update((before) => {
        const action = { ...before.action, ...('action' in change && change.action) };
        return { ...before, ...change, action } as ScheduleUpdateOptions;
      });
      const { schedules, clock } = await found();
      match(schedules ?? '', new RegExp(`^not as they were made: ${name}; npm run migrate`));
      // An edited sweep tells nothing of the clock.
      equal(clock, undefined);
      await migrate();
      equal((await found()).schedules, undefined, JSON.stringify(await handle.describe()));
    }
  });

  it('says what else is wrong where one is paused, of a recurring mailing say, as long as that may be', async () => {
    const mailing = recurringSchedule(7, { period: 'monthly', minute: 0, hour: 9, weekday: 0, day: 1, timezone: 'UTC' });
    const recurring = await place.client.schedule.create({ ...mailing, state: { paused: true } });
    await becomes(/^paused: mailing-7-recurring; unpause/);
    await place.client.schedule.getHandle('sweep').update((before) => ({ ...before, spec: { intervals: [{ every: '2 hours' }] } }));
    const said = (await lookAtTemporal(env())).filter(({ part }) => part === 'schedules').map(({ says }) => says);
    deepEqual(said, ['paused: mailing-7-recurring', 'not as they were made: sweep']);
    await migrate();
    await recurring.delete();
    await becomes(undefined);
  });

  it('says which recurring mailing Temporal begins at another time by the clocks of its zone, having other tables of zones', async () => {
    const mailing = recurringSchedule(8, { period: 'daily', minute: 30, hour: 9, weekday: 0, day: 1, timezone: 'Asia/Kolkata' });
    const recurring = await place.client.schedule.create(mailing);
    await becomes(undefined);
    // A table of one line: six hours ahead, all the year.
    const timezoneData = Buffer.alloc(44 + 6 + 4);
    timezoneData.write('TZif');
    timezoneData.writeInt32BE(1, 36);
    timezoneData.writeInt32BE(4, 40);
    timezoneData.writeInt32BE(6 * 3600, 44);
    timezoneData.write('IST', 50);
    const { schedule } = (await recurring.describe()).raw;
    await place.client.workflowService.updateSchedule({
      namespace: place.namespace,
      scheduleId: mailing.scheduleId,
      schedule: { ...schedule, spec: { ...schedule!.spec, timezoneData } },
    });
    await becomes(
      /^begin at another time than they are meant for: mailing-8-recurring at 20\d\d-\d\d-\d\dT09:00 by the clocks of Asia\/Kolkata; /,
    );
    await recurring.delete();
    await becomes(undefined);
  });

  it('says which is gone', async () => {
    await place.client.schedule.getHandle('clear-old').delete();
    await place.client.schedule.getHandle('crm-sync-changed').delete();
    await becomes(/^there is no clear-old, no crm-sync-changed; npm run migrate/);
    await migrate();
    await becomes(undefined);
  });
});

describe('doctor, of the times Temporal begins recurring mailings at', () => {
  const said = (timezone: string, hour: number, times: string[]) => {
    const only = (value: number) => [{ start: value, end: value, step: 1 }];
    const spec = { timezone, calendars: [{ hour: only(hour), minute: only(30) }] };
    const info = { nextActionTimes: times.map((time) => new Date(time)) };
    const [found] = lookAtZones([{ scheduleId: 'mailing-8-recurring', action: { workflowType: 'runRecurring' }, spec, info } as never]);
    return found?.says;
  };

  it('says nothing of a run too many, an hour before the clocks are put back: it makes no copy', () => {
    equal(said('Europe/Berlin', 1, ['2027-10-30T23:30:00Z', '2027-10-31T00:30:00Z', '2027-11-01T00:30:00Z']), undefined);
    equal(said('Africa/Cairo', 22, ['2027-10-28T19:30:00Z', '2027-10-28T20:30:00Z', '2027-10-29T20:30:00Z']), undefined);
    const other = 'begin at another time than they are meant for: mailing-8-recurring at 2027-10-30T02:30 by the clocks of Europe/Berlin';
    equal(said('Europe/Berlin', 1, ['2027-10-30T00:30:00Z']), other);
  });
});
