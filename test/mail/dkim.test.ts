import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import fc from 'fast-check';
import { newsletter, recipient } from '../../bench/support/newsletter.ts';
import type { DkimAlgorithm } from '../../domain/words.ts';
import { compileMailing } from '../../mail/compile.ts';
import { dkimRecord, makeDkimKey, publicHalf, zoneLine } from '../../mail/dkim/key.ts';
import { dkimSignatures, type SigningKey } from '../../mail/dkim/signature.ts';
import { signingRelay } from '../../mail/dkim/signing-relay.ts';
import { dkimVerdicts } from '../support/dkim.ts';
import { ScriptedRelay } from '../support/sending.ts';

const settings = { baseUrl: 'https://campaign.example', mailDomain: 'mail.example', secretKey: 's3cret' };

describe('DKIM signatures', () => {
  const zone = new Map<string, string>();
  let rsa: SigningKey;
  let ed25519: SigningKey;

  const make = async (algorithm: DkimAlgorithm): Promise<SigningKey> => {
    const privateKey = createPrivateKey(await makeDkimKey(algorithm));
    const place = { domain: 'campaign.example', selector: `s-${algorithm}`, algorithm };
    const { name, value } = dkimRecord({ ...place, publicKey: publicHalf(algorithm, privateKey) });
    zone.set(name, value);
    return { ...place, privateKey };
  };
  before(async () => {
    rsa = await make('rsa');
    ed25519 = await make('ed25519');
  });

  const verdicts = (message: string) => dkimVerdicts(message, zone);
  const signed = async (message: string, ...keys: SigningKey[]) => (await dkimSignatures(message, keys, Date.now())) + message;
  const letter = () => compileMailing(newsletter, settings).render(recipient(3)).message;

  it('of both kinds at once are found good by an independent verifier', async () => {
    const message = await signed(letter(), rsa, ed25519);
    assert.deepEqual(await verdicts(message), [
      ['s-ed25519', 'pass'],
      ['s-rsa', 'pass'],
    ]);
    assert.ok(message.split('\r\n').every((line) => line.length <= 78));
  });

  it('cover the headers a reader sees and acts on', async () => {
    const [signature] = (await signed(letter(), ed25519)).split(/\r\n(?![ \t])/);
    const names = /\sh=([^;]*);/.exec(signature!)![1]!.replace(/\s/g, '').split(':');
    for (const name of [
      'from',
      'to',
      'subject',
      'date',
      'message-id',
      'list-unsubscribe',
      'list-unsubscribe-post',
      'mime-version',
      'content-type',
    ]) {
      assert.ok(names.includes(name), name);
    }
    assert.match(signature!, /c=relaxed\/relaxed/);
    assert.doesNotMatch(signature!, /\bl=/);
  });

  it('stay good when a relay folds lines and changes white space, and no longer when words or senders change', async () => {
    const message = await signed(letter(), ed25519);
    const moved = message.replace('Subject: ', 'Subject:\r\n\t ').replace(/\r\n\r\n$/, '\r\n');
    assert.deepEqual(await verdicts(`Received: from here\r\n${moved}\r\n\r\n`), [['s-ed25519', 'pass']]);
    for (const forged of [
      message.replace('Call now', 'Pay  now'),
      message.replace(/^Subject: .*/m, 'Subject: Other'),
      message.replace('From: ', 'From: "Other" <other@other.example>\r\nFrom: '),
      message.replace('Subject: ', 'Reply-To: other@other.example\r\nSubject: '),
    ]) {
      assert.notEqual((await verdicts(forged))[0]?.[1], 'pass', forged);
    }
  });

  it('are good for any header and body', async () => {
    const piece = fc.constantFrom(
      'word',
      ' ',
      '  ',
      '\t',
      ' \t ',
      '=3D',
      '\r\n',
      '\r\n\r\n',
      ' \r\n',
      '\t\r\n',
      'é',
      '\xa0',
      ':',
      ';',
      'b=',
    );
    const body = fc.array(piece).map((pieces) => pieces.join(''));
    const value = fc.array(fc.constantFrom('word', ' ', '\t', '\r\n ', '\r\n\t', 'é', '\xc3\xa0', 'b=x;', ':')).map((pieces) => {
      // A line of white space alone is no header line.
      return `x${pieces.join('')}x`.replace(/\r\n[ \t]+(?=\r\n)/g, '');
    });
    await fc.assert(
      fc.asyncProperty(value, value, body, async (subject, to, text) => {
        const message = `From: a@campaign.example\r\nTo: ${to}\r\nSubject:${subject}\r\nX-Other: y\r\n\r\n${text}\r\n`;
        assert.deepEqual(await verdicts(await signed(message, ed25519)), [['s-ed25519', 'pass']], JSON.stringify(message));
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it('stand before what goes to the relay; without a key it goes as it is', async () => {
    const relay = new ScriptedRelay(1);
    const messages: string[] = [];
    relay.answer = ({ message }) => {
      messages.push(message);
      return { kind: 'accepted', reply: '250' };
    };
    const mail = compileMailing(newsletter, settings).render(recipient(1));
    assert.equal((await signingRelay(relay, [rsa]).send(mail)).kind, 'accepted');
    await signingRelay(relay, []).send(mail);
    assert.deepEqual(await verdicts(messages[0]!), [['s-rsa', 'pass']]);
    assert.equal(messages[1], mail.message);
  });

  it('have records that fit into a zone file', async () => {
    const { name, value } = dkimRecord({ ...rsa, publicKey: publicHalf('rsa', rsa.privateKey) });
    const line = zoneLine({ name, value });
    assert.match(line, /^s-rsa\._domainkey\.campaign\.example\. IN TXT "v=DKIM1; k=rsa; p=[^"]+" "[^"]+"$/);
    assert.equal([...line.matchAll(/"([^"]*)"/g)].map(([, piece]) => piece).join(''), value);
    assert.ok([...line.matchAll(/"([^"]*)"/g)].every(([, piece]) => piece!.length <= 255));
  });
});
