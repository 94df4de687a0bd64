import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { akid, readAkid } from '../../domain/akid.ts';

describe('akid', () => {
  const hashOf = (cleartext: string) => createHash('sha256').update(`s3cret.${cleartext}`).digest('base64url').slice(0, 6);

  it('is mailing, user and six characters of a keyed hash', () => {
    assert.equal(akid('s3cret', 7, 12), `7.12.${hashOf('7.12')}`);
    assert.equal(akid('s3cret', null, 12), `.12.${hashOf('.12')}`);
  });

  it('is read back, and only with the right secret and hash', () => {
    assert.deepEqual(readAkid('s3cret', akid('s3cret', 7, 12)), { mailingId: 7, userId: 12 });
    assert.deepEqual(readAkid('s3cret', akid('s3cret', null, 12)), { mailingId: null, userId: 12 });
    assert.equal(readAkid('other', akid('s3cret', 7, 12)), null);
    for (const wrong of [
      '',
      '7.12.',
      '7.12.aaaaaa',
      '12',
      `8${akid('s3cret', 7, 12)}`,
      `${akid('s3cret', 7, 12)}x`,
      '\u00007.12.aaaaaa',
      '7.99999999999.aaaaaa',
    ]) {
      assert.equal(readAkid('s3cret', wrong), null, wrong);
    }
  });
});
