import { deepEqual } from 'node:assert/strict';
import { Goodbyes } from '../../../mail/smtp/goodbyes.ts';

describe('mails to which a relay says 421', () => {
  it('are put off each third time, whether others are answered in between or none is tried', () => {
    for (const answered of [
      [1, 5, 9, 9, 9, 9],
      [1, 1, 1, 1, 1, 1],
    ]) {
      const goodbyes = new Goodbyes();
      deepEqual(
        answered.map((each) => goodbyes.said('a', each)),
        [false, false, true, false, false, true],
      );
    }
  });

  it('are not where it says so to everybody', () => {
    const goodbyes = new Goodbyes();
    for (let round = 0; round < 10; round++)
      deepEqual(
        ['a', 'b', 'c', 'd', 'e'].filter((mail) => goodbyes.said(mail, 7)),
        [],
      );
    // It answers somebody again.
    deepEqual(goodbyes.said('a', 8), true);
  });

  it('are few where it says so to everybody one after the other', () => {
    const goodbyes = new Goodbyes();
    const putOff: string[] = [];
    for (const mail of ['a', 'b', 'c', 'd', 'e'])
      for (let times = 0; times < 5; times++) {
        if (goodbyes.said(mail, 7)) putOff.push(mail);
      }
    deepEqual(putOff, ['a', 'b', 'c']);
  });
});
