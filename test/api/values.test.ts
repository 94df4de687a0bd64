import assert from 'node:assert/strict';
import { readDate, readInteger, readNumber, readText, readTimestamp } from '../../domain/values.ts';

describe('values as clients send them', () => {
  it('are timestamps with and without fractions and offsets, in UTC afterwards', () => {
    const read: Record<string, string> = {
      '2030-12-31T23:59:59': '2030-12-31T23:59:59.000000Z',
      '2030-12-31 23:59': '2030-12-31T23:59:00.000000Z',
      '2030-12-31': '2030-12-31T00:00:00.000000Z',
      '2030-12-31T23:59:59.1': '2030-12-31T23:59:59.100000Z',
      '2030-12-31T23:59:59.123456789Z': '2030-12-31T23:59:59.123456Z',
      '2030-12-31T23:59:59+02:00': '2030-12-31T21:59:59.000000Z',
      '2030-12-31T23:59:59-0130': '2031-01-01T01:29:59.000000Z',
      '2028-02-29T00:00:00z': '2028-02-29T00:00:00.000000Z',
    };
    for (const [given, stored] of Object.entries(read)) assert.equal(readTimestamp(given), stored, given);
    for (const wrong of [
      '',
      'now',
      '2030-02-29',
      '2030-13-01',
      '2030-01-01T24:00:00',
      '2030-01-01T00:60:00',
      '0000-01-01',
      5,
      null,
      [],
      {},
    ]) {
      assert.throws(() => readTimestamp(wrong), Error, String(wrong));
    }
    assert.throws(() => readTimestamp('9999-12-31T23:59:59-01:00'), /out of range/);
    assert.equal(readDate('2028-02-29'), '2028-02-29');
    assert.throws(() => readDate('2030-02-29'));
  });

  it('are numbers, also as strings of digits, within what the database holds', () => {
    assert.deepEqual(['12', ' 12 ', 12, '-3', 2_147_483_647].map(readInteger), [12, 12, 12, -3, 2_147_483_647]);
    for (const wrong of ['1.5', '1e3', '0x10', '', 1.5, Number.NaN, true, null, [], {}, 2_147_483_648, '99999999999']) {
      assert.throws(() => readInteger(wrong), Error, String(wrong));
    }
    assert.deepEqual(['1.25', 3, -0.5].map(readNumber), [1.25, 3, -0.5]);
    for (const wrong of ['1e5', 'x', Number.POSITIVE_INFINITY, null, [1]]) assert.throws(() => readNumber(wrong), Error, String(wrong));
  });

  it('are text the database takes', () => {
    assert.equal(readText('naïve 😀'), 'naïve 😀');
    assert.equal(readText(94_110), '94110');
    assert.equal(readText('half \ud800'), 'half \ufffd');
    for (const wrong of ['nul\0', true, null, [], {}]) assert.throws(() => readText(wrong), Error, String(wrong));
  });
});
