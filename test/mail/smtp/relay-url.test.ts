import assert from 'node:assert/strict';
import { readRelays, readRelayUrl } from '../../../mail/smtp/relay-url.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

describe('the address of a relay', () => {
  const opened = new Opened();
  afterEach(() => opened.end());

  it('names a host in any letters', async () => {
    assert.equal(readRelayUrl('smtp://mail.bücher.example').host, 'mail.xn--bcher-kva.example');
    assert.equal(readRelayUrl('smtp://[::1]').host, '::1');
    assert.throws(() => readRelays('smtp://Relay.example smtp://relay.example', 1), /^Error: relay\.example:25 is named twice$/);
    assert.throws(() => readRelayUrl('smtp://a%20b'), /names no host/);
    const auth = { user: 'ann', password: 'x', methods: ['PLAIN'] as const };
    const { url } = await opened.sink({ offers: { auth } });
    // This machine, to which credentials are told without TLS.
    const outcome = await opened.relay(url.replace(/\/\/[^:]+/, '//ann:x@LOCALHOST')).send(mailNumber(1));
    assert.equal(outcome.kind, 'accepted', outcome.reply);
  });

  it('says true or false where it says anything of TLS', () => {
    for (const option of ['requireTLS=True', 'requireTLS=1', 'ignoreTLS=yes', 'tls.rejectUnauthorized=0', 'requireTLS=']) {
      const [name] = option.split('=');
      assert.throws(() => readRelayUrl(`smtp://a.example?${option}`), new Error(`${name} of a.example must be true or false`));
    }
    for (const name of ['requiretls', 'requireTls', 'tls.rejectUnauthorised', 'wieght', 'pool'])
      assert.throws(
        () => readRelays(`smtp://u:secret@a.example?weight=2&${name}=true`, 1),
        /^Error: a\.example takes no .+, only requireTLS, /,
      );
  });
});

describe('credentials', () => {
  const opened = new Opened();
  afterEach(() => opened.end());

  const relayThatOffers = async (methods: string, knows: RegExp) => {
    const asked: string[] = [];
    const url = await opened.server((_socket, line) => {
      line('220 ready');
      return (command) => {
        asked.push(command);
        if (command.startsWith('EHLO')) line(`250-x\r\n250 AUTH ${methods}`);
        else if (command.startsWith('AUTH') && !knows.test(command)) line('504 5.7.4 Unrecognized authentication type');
        else if (command === 'AUTH LOGIN' || command === 'YW5u') line('334 go on');
        else if (command === 'eA==') line('235 2.7.0 welcome');
        else line(command === 'DATA' ? '354 go on' : '250 fine');
      };
    });
    return { asked, send: () => opened.relay(url.replace('://', '://ann:x@')).send(mailNumber(1)) };
  };

  it('are given by LOGIN where the relay offers PLAIN and does not know it', async () => {
    const { asked, send } = await relayThatOffers('PLAIN LOGIN', /LOGIN/);
    assert.equal((await send()).kind, 'accepted');
    assert.deepEqual(asked.slice(1, 5), ['AUTH PLAIN AGFubgB4', 'AUTH LOGIN', 'YW5u', 'eA==']);
  });

  it('are not given where it knows neither, or offers other ways alone, which are said', async () => {
    const { send } = await relayThatOffers('PLAIN LOGIN', /XOAUTH2/);
    const refused = { kind: 'unsent', relay: 'refused-credentials' };
    assert.deepEqual(await send(), { ...refused, reply: '504 5.7.4 Unrecognized authentication type' });
    const other = await relayThatOffers('XOAUTH2 CRAM-MD5', /./);
    assert.deepEqual(await other.send(), { ...refused, reply: 'the relay offers no AUTH PLAIN or LOGIN, only XOAUTH2 CRAM-MD5' });
    assert.equal(other.asked.length, 1);
  });
});
