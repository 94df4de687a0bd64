import { deepEqual } from 'node:assert/strict';
import { Goodbyes } from '../../../mail/smtp/goodbyes.ts';

describe('mails to which a relay says 421', () => {
  it('are put off the third time, where others were answered in between', () => {
    const goodbyes = new Goodbyes();
    deepEqual(
      [1, 5, 9, 9].map((answered) => goodbyes.said('a', answered)),
      [false, false, true, true],
    );
  });

  it('are not where it says so to everybody', () => {
    const goodbyes = new Goodbyes();
    deepEqual(
      [4, 4, 4, 4, 5].map((answered) => goodbyes.said('a', answered)),
      [false, false, false, false, false],
    );
  });
});
