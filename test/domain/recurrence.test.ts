import assert from 'node:assert/strict';
import { calendarOf, cronsOf, lastDue, occasionOf, type Recurrence } from '../../domain/recurrence.ts';

const DECEMBER = Date.UTC(2026, 11, 1);
const recurs = (timezone: string, hour: number, minute: number, more: Partial<Recurrence> = {}): Recurrence => ({
  ...{ period: 'daily', weekday: 0, day: 1, timezone, hour, minute },
  ...more,
});
const instead = (recurrence: Recurrence, now = DECEMBER) => cronsOf(recurrence, now).slice(1);
const last = (recurrence: Recurrence, before: string) => new Date(lastDue(recurrence, Date.parse(before)).at).toISOString().slice(0, 16);
const occasion = (recurrence: Recurrence, moment: string) => occasionOf(recurrence, Date.parse(moment));

describe('a recurrence', () => {
  it('has another time for what the clocks leave out, as much later as they are put forward', () => {
    assert.deepEqual(cronsOf(recurs('America/New_York', 2, 30), DECEMBER), ['30 2 * * *', '30 3 8 3 * 2026', '30 3 14 3 * 2027']);
    assert.deepEqual(instead(recurs('Europe/Berlin', 2, 0)), ['0 3 29 3 * 2026', '0 3 28 3 * 2027']);
    assert.deepEqual(instead(recurs('Australia/Lord_Howe', 2, 15)), ['45 2 4 10 * 2026', '45 2 3 10 * 2027']);
    assert.deepEqual(instead(recurs('Asia/Beirut', 0, 0)), ['0 1 29 3 * 2026', '0 1 28 3 * 2027']);
    // Over midnight.
    assert.deepEqual(instead(recurs('America/Nuuk', 23, 30)), ['30 0 29 3 * 2026', '30 0 28 3 * 2027']);
    // A whole day.
    assert.deepEqual(instead(recurs('Pacific/Apia', 9, 0, { period: 'weekly', weekday: 5 }), Date.UTC(2011, 5, 1)), ['0 9 31 12 * 2011']);
  });

  it('has none where its time always comes', () => {
    for (const { timezone, hour, minute, ...more } of [
      recurs('UTC', 2, 30),
      recurs('Asia/Kolkata', 2, 30),
      recurs('America/New_York', 1, 59),
      recurs('America/New_York', 3, 0),
      recurs('Australia/Lord_Howe', 2, 30),
      recurs('America/New_York', 2, 30, { period: 'weekly', weekday: 1 }),
      recurs('America/New_York', 2, 30, { period: 'monthly', day: 15 }),
      recurs('America/New_York', 2, 30, { period: 'hourly' }),
    ]) {
      assert.deepEqual(instead(recurs(timezone, hour, minute, more)), [], timezone);
    }
    assert.deepEqual(instead(recurs('America/New_York', 2, 30, { period: 'weekly' })), ['30 3 8 3 * 2026', '30 3 14 3 * 2027']);
    assert.deepEqual(instead(recurs('America/New_York', 2, 30, { period: 'monthly', day: 14 })), ['30 3 14 3 * 2027']);
  });

  it('names the days that have no midnight where it comes once a week: the workflow service takes them for the days before', () => {
    const sunday = (timezone: string, hour: number) => instead(recurs(timezone, hour, 0, { period: 'weekly' }));
    assert.deepEqual(sunday('America/Santiago', 9), ['0 9 6 9 * 2026', '0 9 5 9 * 2027']);
    assert.deepEqual(sunday('America/Santiago', 1), ['0 1 6 9 * 2026', '0 1 5 9 * 2027']);
    // Left out as well: what stands for it is named already.
    assert.deepEqual(sunday('America/Santiago', 0), ['0 1 6 9 * 2026', '0 1 5 9 * 2027']);
    assert.deepEqual(sunday('America/Nuuk', 9), [], 'the day before has no last hour');
    assert.deepEqual(sunday('America/New_York', 9), []);
    for (const more of [{ period: 'daily' }, { period: 'monthly', day: 5 }, { period: 'weekly', weekday: 1 }] as const)
      assert.deepEqual(instead(recurs('America/Santiago', 9, 0, more)), []);
  });

  it('comes every hour by the clocks of UTC, which show none twice', () => {
    const hourly = (timezone: string, minute: number) => {
      const { cronExpressions, timezone: said } = calendarOf(recurs(timezone, 0, minute, { period: 'hourly' }), DECEMBER);
      return `${cronExpressions.join(', ')} ${said}`;
    };
    assert.equal(hourly('Europe/Berlin', 15), '15 * * * * UTC');
    assert.equal(hourly('Asia/Kathmandu', 0), '15 * * * * UTC');
    assert.equal(hourly('America/St_Johns', 10), '40 * * * * UTC');
    assert.equal(hourly('Australia/Lord_Howe', 10), '10 * * * * Australia/Lord_Howe');
    assert.deepEqual(calendarOf(recurs('Europe/Berlin', 9, 15), DECEMBER), { cronExpressions: ['15 9 * * *'], timezone: 'Europe/Berlin' });
  });

  it('looks a year further from the noon of New Year on', () => {
    const last = (now: string) => instead(recurs('Europe/Berlin', 2, 0), Date.parse(now)).at(-1);
    assert.equal(last('2027-01-01T11:59:59Z'), '0 3 28 3 * 2027');
    assert.equal(last('2027-01-01T12:00:00Z'), '0 3 26 3 * 2028');
  });

  it('comes once where clocks that are put back show its time twice', () => {
    const newYork = recurs('America/New_York', 1, 30);
    assert.equal(occasion(newYork, '2026-11-01T05:30:00Z'), '2026-11-01T01:30');
    assert.equal(occasion(newYork, '2026-11-01T06:30:00Z'), '2026-11-01T01:30');
    assert.equal(occasion(newYork, '2026-11-02T06:30:00Z'), '2026-11-02T01:30');
    assert.equal(occasion(recurs('America/New_York', 1, 30, { period: 'hourly' }), '2026-11-01T05:30:00Z'), null);
  });

  it('comes at the time that stands for one left out, which takes that of no other day', () => {
    assert.equal(occasion(recurs('America/New_York', 2, 30), '2027-03-14T07:30:00Z'), '2027-03-14T02:30');
    assert.equal(occasion(recurs('Australia/Lord_Howe', 2, 15), '2027-10-02T15:45:00Z'), '2027-10-03T02:15');
    assert.equal(occasion(recurs('America/Nuuk', 23, 30), '2027-03-28T01:30:00Z'), '2027-03-27T23:30');
    assert.equal(occasion(recurs('America/Nuuk', 23, 30), '2027-03-29T00:30:00Z'), '2027-03-28T23:30');
  });

  it('was due last before a moment, by the clocks of its zone', () => {
    const berlin = recurs('Europe/Berlin', 9, 30);
    assert.equal(last(berlin, '2026-11-30T08:30:00Z'), '2026-11-30T08:30');
    assert.equal(last(berlin, '2026-11-30T08:29:59Z'), '2026-11-29T08:30');
    assert.equal(last(berlin, '2026-07-01T08:00:00Z'), '2026-07-01T07:30');
    assert.equal(last(recurs('Pacific/Kiritimati', 1, 0), '2026-11-30T12:00:00Z'), '2026-11-30T11:00');
    assert.equal(last(recurs('Pacific/Pago_Pago', 23, 0), '2026-11-30T12:00:00Z'), '2026-11-30T10:00');
    const weekly = recurs('America/New_York', 9, 0, { period: 'weekly', weekday: 1 });
    assert.equal(last(weekly, '2026-11-30T13:59:00Z'), '2026-11-23T14:00');
    assert.equal(last(weekly, '2026-11-30T14:00:00Z'), '2026-11-30T14:00');
    // Over the change of the clocks.
    assert.equal(last(weekly, '2026-11-02T13:00:00Z'), '2026-10-26T13:00');
    const monthly = recurs('UTC', 0, 0, { period: 'monthly', day: 28 });
    assert.equal(last(monthly, '2027-03-27T23:59:59Z'), '2027-02-28T00:00');
    const hourly = recurs('Asia/Kolkata', 0, 10, { period: 'hourly' });
    assert.equal(last(hourly, '2026-11-30T12:39:59Z'), '2026-11-30T11:40');
    assert.equal(last(hourly, '2026-11-30T12:40:01Z'), '2026-11-30T12:40');
  });

  it('was due first where clocks show its time twice, and later where they leave it out', () => {
    assert.equal(last(recurs('America/New_York', 1, 30), '2026-11-01T07:00:00Z'), '2026-11-01T05:30');
    // Which of the two the workflow service takes depends on the zone: in Berlin it is the second.
    assert.equal(last(recurs('America/New_York', 1, 30), '2026-11-01T06:30:00Z'), '2026-11-01T05:30');
    assert.equal(last(recurs('America/New_York', 1, 30), '2026-11-01T06:29:00Z'), '2026-10-31T05:30');
    assert.equal(last(recurs('Europe/Berlin', 2, 30), '2026-10-25T01:29:00Z'), '2026-10-24T00:30');
    assert.equal(last(recurs('Europe/Berlin', 2, 30), '2026-10-25T01:30:00Z'), '2026-10-25T00:30');
    assert.equal(last(recurs('America/New_York', 2, 30), '2027-03-14T07:30:00Z'), '2027-03-14T07:30');
    assert.equal(last(recurs('America/New_York', 2, 30), '2027-03-14T07:29:00Z'), '2027-03-13T07:30');
    assert.equal(last(recurs('Australia/Lord_Howe', 2, 15), '2027-10-03T00:00:00Z'), '2027-10-02T15:45');
    assert.equal(last(recurs('Australia/Lord_Howe', 0, 50, { period: 'hourly' }), '2027-10-02T15:35:00Z'), '2027-10-02T15:20');
    assert.equal(last(recurs('America/Nuuk', 23, 30), '2027-03-28T01:30:00Z'), '2027-03-28T01:30');
    // Put back from the first minute of a day.
    assert.equal(last(recurs('America/St_Johns', 0, 0), '2010-11-07T03:30:00Z'), '2010-11-07T02:30');
    assert.equal(last(recurs('America/St_Johns', 0, 0), '2010-11-07T03:29:00Z'), '2010-11-06T02:30');
    // A whole day.
    const friday = recurs('Pacific/Apia', 9, 0, { period: 'weekly', weekday: 5 });
    assert.equal(last(friday, '2012-01-01T00:00:00Z'), '2011-12-30T19:00');
    assert.equal(last(friday, '2011-12-30T18:59:00Z'), '2011-12-23T19:00');
  });

  it('was due last at what stands for its time, all year round', () => {
    for (const [timezone, hour, minute] of [
      ['America/New_York', 2, 30],
      ['America/Nuuk', 23, 30],
      ['Australia/Lord_Howe', 1, 45],
      ['Asia/Beirut', 0, 0],
    ] as const) {
      const recurrence = recurs(timezone, hour, minute);
      const days = [...Array(365).keys()].map((day) => lastDue(recurrence, Date.UTC(2027, 0, 2 + day, 12)));
      const occasions = days.map(({ at }) => occasionOf(recurrence, at)!);
      assert.deepEqual(
        days.map(({ occasion }) => occasion),
        occasions,
      );
      assert.equal(new Set(occasions).size, 365, timezone);
      const own = `T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
      assert.ok(
        occasions.every((each) => each.endsWith(own)),
        timezone,
      );
    }
  });
});
