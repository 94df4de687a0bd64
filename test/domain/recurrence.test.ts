import assert from 'node:assert/strict';
import { cronsOf, occasionOf, type Recurrence } from '../../domain/recurrence.ts';

const DECEMBER = Date.UTC(2026, 11, 1);
const recurs = (timezone: string, hour: number, minute: number, more: Partial<Recurrence> = {}): Recurrence => ({
  ...{ period: 'daily', weekday: 0, day: 1, timezone, hour, minute },
  ...more,
});
const instead = (recurrence: Recurrence, now = DECEMBER) => cronsOf(recurrence, now).slice(1);
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
});
