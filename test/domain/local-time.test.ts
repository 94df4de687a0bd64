import { deepEqual, equal, throws } from 'node:assert/strict';
import { clockOf } from '../../domain/clocks.ts';
import { localTime, NoSuchTimeError, utcTime } from '../../domain/local-time.ts';

describe('a time of day somewhere', () => {
  it('is the moment at which the clocks there show it, whichever way they go in summer', () => {
    for (const [at, zone, moment] of [
      ['2031-07-04T09:30', 'Europe/Berlin', '2031-07-04T07:30:00'],
      ['2031-12-04T09:30', 'Europe/Berlin', '2031-12-04T08:30:00'],
      ['2031-10-26T12:00', 'Europe/Berlin', '2031-10-26T11:00:00'],
      ['2031-03-30T03:00', 'Europe/Berlin', '2031-03-30T01:00:00'],
      ['2031-07-04T09:30', 'Europe/Dublin', '2031-07-04T08:30:00'],
      ['2031-07-04T09:30', 'Asia/Kathmandu', '2031-07-04T03:45:00'],
      ['2031-07-04T09:30', 'UTC', '2031-07-04T09:30:00'],
    ] as const) {
      equal(utcTime(at, zone), moment, `${at} ${zone}`);
      equal(localTime(moment, zone), at);
    }
  });

  it('is none where they are put forward over it', () => {
    for (const [at, zone] of [
      ['2031-03-30T02:30', 'Europe/Berlin'],
      ['2031-03-09T02:30', 'America/New_York'],
      ['2031-10-05T02:15', 'Australia/Lord_Howe'],
    ] as const)
      throws(() => utcTime(at, zone), NoSuchTimeError, zone);
  });

  it('is the first still to come where they are put back and show it twice', () => {
    for (const [at, zone, first, second] of [
      ['2031-11-02T01:30', 'America/New_York', '2031-11-02T05:30:00', '2031-11-02T06:30:00'],
      ['2031-10-26T02:00', 'Europe/Berlin', '2031-10-26T00:00:00', '2031-10-26T01:00:00'],
      ['2031-10-26T01:59', 'Europe/Dublin', '2031-10-26T00:59:00', '2031-10-26T01:59:00'],
      ['2031-04-06T01:45', 'Australia/Lord_Howe', '2031-04-05T14:45:00', '2031-04-05T15:15:00'],
    ] as const) {
      const told = (now: string) => utcTime(at, zone, new Date(`${now}Z`));
      deepEqual([told('2031-01-01T00:00:00'), told(first), told('2032-01-01T00:00:00')], [first, second, first], zone);
      deepEqual([localTime(first, zone), localTime(second, zone)], [at, at]);
    }
  });

  it('is by the tables that recurrences and hours of sending go by, in every zone', () => {
    for (const zone of Intl.supportedValuesOf('timeZone'))
      for (const at of ['2027-01-15T09:30', '2027-07-15T09:30']) {
        const moment = utcTime(at, zone);
        equal(new Date(clockOf(zone)(Date.parse(`${moment}Z`))).toISOString().slice(0, 16), at, zone);
      }
  });

  it('has no offset: the zone says it, and another one would make it another time', () => {
    for (const at of ['2031-07-04T09:30Z', '2031-07-04T09:30:00+02:00', '2031-07-04 09:30 -0500', '2031-07-04T09:30z'])
      throws(() => utcTime(at, 'Europe/Berlin'), NoSuchTimeError, at);
    equal(utcTime('2031-07-04', 'Europe/Berlin'), '2031-07-03T22:00:00', 'a day alone has none, for all its dashes');
  });

  it('may have seconds, and is none out of the years there are', () => {
    equal(utcTime('2031-07-04T09:30:15', 'Asia/Kolkata'), '2031-07-04T04:00:15');
    for (const [at, zone] of [
      ['9999-12-31T23:59', 'America/New_York'],
      ['2031-02-29T10:00', 'UTC'],
      ['soon', 'UTC'],
    ] as const)
      throws(() => utcTime(at, zone), NoSuchTimeError, at);
    equal(utcTime('0050-07-04T09:30', 'UTC'), '0050-07-04T09:30:00');
    equal(localTime('0050-07-04T09:30:00', 'UTC'), '0050-07-04T09:30');
  });
});
