import { deepEqual, equal, rejects } from 'node:assert/strict';
import { localTime, NoSuchTimeError, utcTime } from '../../../core/mailings/local-time.ts';
import { sqlOn } from '../../../db/sql.ts';
import { startApi, type TestApi } from '../../support/api.ts';

describe('a time of day somewhere', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('is the moment at which the clocks there show it, whichever way they go in summer', async () => {
    const sql = sqlOn(api.pool);
    for (const [at, zone, moment] of [
      ['2031-07-04T09:30', 'Europe/Berlin', '2031-07-04T07:30:00'],
      ['2031-12-04T09:30', 'Europe/Berlin', '2031-12-04T08:30:00'],
      ['2031-10-26T12:00', 'Europe/Berlin', '2031-10-26T11:00:00'],
      ['2031-03-30T03:00', 'Europe/Berlin', '2031-03-30T01:00:00'],
      ['2031-07-04T09:30', 'Europe/Dublin', '2031-07-04T08:30:00'],
      ['2031-07-04T09:30', 'Asia/Kathmandu', '2031-07-04T03:45:00'],
      ['2031-07-04T09:30', 'UTC', '2031-07-04T09:30:00'],
    ] as const) {
      equal(await utcTime(sql, at, zone), moment, `${at} ${zone}`);
      equal(await localTime(sql, moment, zone), at);
    }
  });

  it('is none where they are put forward over it', async () => {
    for (const [at, zone] of [
      ['2031-03-30T02:30', 'Europe/Berlin'],
      ['2031-03-09T02:30', 'America/New_York'],
      ['2031-10-05T02:15', 'Australia/Lord_Howe'],
    ] as const)
      await rejects(utcTime(sqlOn(api.pool), at, zone), NoSuchTimeError, zone);
  });

  it('is the first still to come where they are put back and show it twice', async () => {
    const sql = sqlOn(api.pool);
    for (const [at, zone, first, second] of [
      ['2031-11-02T01:30', 'America/New_York', '2031-11-02T05:30:00', '2031-11-02T06:30:00'],
      ['2031-10-26T02:00', 'Europe/Berlin', '2031-10-26T00:00:00', '2031-10-26T01:00:00'],
      ['2031-10-26T01:59', 'Europe/Dublin', '2031-10-26T00:59:00', '2031-10-26T01:59:00'],
      ['2031-04-06T01:45', 'Australia/Lord_Howe', '2031-04-05T14:45:00', '2031-04-05T15:15:00'],
    ] as const) {
      const told = (now: string) => utcTime(sql, at, zone, new Date(`${now}Z`));
      deepEqual([await told('2031-01-01T00:00:00'), await told(first), await told('2032-01-01T00:00:00')], [first, second, first], zone);
      deepEqual([await localTime(sql, first, zone), await localTime(sql, second, zone)], [at, at]);
    }
  });
});
