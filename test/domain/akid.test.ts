import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { akid, answerAkid, clickProof, isClickProof, readAkid, readAnyAkid } from '../../domain/akid.ts';

describe('akid', () => {
  const hashOf = (cleartext: string) => createHash('sha256').update(`s3cret.${cleartext}`).digest('base64url').slice(0, 6);

  it('is mailing, user and six characters of a keyed hash', () => {
    assert.equal(akid('s3cret', 7, 12), `7.12.${hashOf('7.12')}`);
    assert.equal(akid('s3cret', null, 12), `.12.${hashOf('.12')}`);
  });

  it('that answers has the same shape and is signed apart', () => {
    for (const mailing of [7, null]) {
      const answered = answerAkid('s3cret', mailing, 12);
      assert.match(answered, mailing === null ? /^\.12\.[\w-]{6}$/ : /^7\.12\.[\w-]{6}$/);
      assert.equal(readAkid('s3cret', answered), null);
      assert.deepEqual(readAnyAkid('s3cret', answered), { mailingId: null, userId: 12, proven: false });
      assert.equal(readAnyAkid('other', answered), null);
    }
    assert.deepEqual(readAnyAkid('s3cret', akid('s3cret', 7, 12)), { mailingId: 7, userId: 12, proven: true });
  });

  it('of a mail is answered to whoever sent that very one', () => {
    const sent = akid('s3cret', 7, 12);
    assert.equal(answerAkid('s3cret', 7, 12, sent), sent);
    for (const other of [akid('s3cret', 8, 12), akid('s3cret', null, 12), akid('s3cret', 7, 13), '7.12.aaaaaa', '', null]) {
      assert.equal(readAkid('s3cret', answerAkid('s3cret', 7, 12, other)), null, String(other));
    }
  });

  it('of a confirmation belongs to no mailing, is proof of the person, and is answered again', () => {
    const sent = akid('s3cret', 0, 12);
    assert.deepEqual(readAnyAkid('s3cret', sent), { mailingId: null, userId: 12, proven: true });
    assert.equal(answerAkid('s3cret', null, 12, sent), sent);
    assert.equal(readAkid('s3cret', answerAkid('s3cret', null, 13, sent)), null);
  });

  it('has a proof of the click that is good for an hour or two', () => {
    const now = Date.parse('2026-11-21T12:30:00Z');
    const proof = clickProof('s3cret', '.12.aaaaaa', now);
    assert.ok(isClickProof('s3cret', '.12.aaaaaa', proof, now + 3_600_000));
    assert.ok(!isClickProof('s3cret', '.12.aaaaaa', proof, now + 7_200_000));
    assert.ok(!isClickProof('s3cret', '.13.aaaaaa', proof, now));
    assert.ok(!isClickProof('s3cret', '.12.aaaaaa', '', now));
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
