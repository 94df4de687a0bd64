import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeAuthority, makeCertificate } from '../../../embedded/certificate.ts';
import type { Outcome } from '../../../mail/contracts.ts';
import { readRelayUrl } from '../../../mail/smtp/relay-url.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

const kinds = (outcomes: Outcome[]) => outcomes.map((outcome) => (outcome.kind === 'unsent' ? `unsent/${outcome.relay}` : outcome.kind));
const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, n) => n + from);

/** A port nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('connections to the relay', () => {
  const opened = new Opened();
  afterEach(() => opened.end());

  it('are opened as needed, never more than allowed, and kept for the next mails', async () => {
    const sink = await opened.sink();
    const relay = opened.relay(sink.url, { connections: 3 });
    await relay.send(mailNumber(1));
    assert.equal(sink.connections(), 1);
    await Promise.all(numbers(500, 2).map((n) => relay.send(mailNumber(n))));
    assert.equal(sink.connections(), 3);
    assert.equal(sink.counts().received, 501);
    assert.equal(sink.counts().duplicated, 0);
  });

  it('are closed politely after a while without mail', async () => {
    const sink = await opened.sink();
    const relay = opened.relay(sink.url, { idleMs: 100 });
    await relay.send(mailNumber(1));
    while (sink.connections() > 0) await pause(20);
    assert.equal((await relay.send(mailNumber(2))).kind, 'accepted');
  });

  it('that the relay closed while idle are replaced unnoticed', async () => {
    const sink = await opened.sink();
    const relay = opened.relay(sink.url);
    for (const n of numbers(5)) {
      assert.equal((await relay.send(mailNumber(n))).kind, 'accepted');
      sink.dropConnections();
    }
    assert.equal(sink.counts().received, 5);
  });

  it('are renewed when the relay takes only so many mails over one, however many are on it', async () => {
    for (const depth of [1, 32]) {
      const sink = await opened.sink({ rules: [{ at: 'mail', from: 4, reply: '421 4.7.0 enough over this connection', next: 'close' }] });
      const relay = opened.relay(sink.url, { depth: () => depth });
      const outcomes = await Promise.all(numbers(50).map((n) => relay.send(mailNumber(n))));
      assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']), `${depth}`);
      assert.deepEqual([sink.counts().received, sink.counts().duplicated], [50, 0]);
    }
  });

  it('are fewer when the relay takes no more at a time', async () => {
    let open = 0;
    const sink = await opened.sink();
    const { port } = new URL(sink.url);
    const { connect } = await import('node:net');
    const url = await opened.server((socket, line) => {
      if (open >= 2) {
        line('421 4.7.0 too many connections');
        socket.end();
        return undefined;
      }
      open++;
      socket.on('close', () => open--);
      const inner = connect(Number(port), '127.0.0.1');
      inner.on('error', () => {});
      socket.pipe(inner).pipe(socket);
      return undefined;
    });
    const relay = opened.relay(url, { connections: 10 });
    const outcomes = await Promise.all(numbers(300).map((n) => relay.send(mailNumber(n))));
    assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']));
    assert.equal(sink.counts().received, 300);
  });

  it('that cannot be made are found out once, not by each mail', async () => {
    const relay = opened.relay(`smtp://127.0.0.1:${await closedPort()}`, { restMs: 300 });
    const began = performance.now();
    const outcomes = await Promise.all(numbers(5000).map((n) => relay.send(mailNumber(n))));
    assert.deepEqual(new Set(kinds(outcomes)), new Set(['unsent/down']));
    assert.match(outcomes[0]!.reply, /ECONNREFUSED/);
    // Each for itself, four at a time, they would take minutes.
    assert.ok(performance.now() - began < 30_000);
  });

  it('that are never answered cost one time limit for all', async () => {
    const url = await opened.server(() => undefined);
    const relay = opened.relay(url, { timeoutMs: 300, restMs: 2000 });
    const began = performance.now();
    const outcomes = await Promise.all(numbers(1000).map((n) => relay.send(mailNumber(n))));
    outcomes.push(await relay.send(mailNumber(1001)));
    assert.deepEqual(new Set(kinds(outcomes)), new Set(['unsent/down']));
    // Each for itself, four at a time, they would take 75 s.
    assert.ok(performance.now() - began < 30_000);
  });

  it('that were not answered the last time are waited for less long, and used when they are answered all the same', async () => {
    let slow = 60_000;
    const sink = await opened.sink();
    const url = await opened.server((socket) => {
      const inner = connect(Number(new URL(sink.url).port), '127.0.0.1').on('error', () => {});
      socket.pipe(inner);
      setTimeout(() => inner.pipe(socket), slow).unref();
      return undefined;
    });
    const relay = opened.relay(url, { timeoutMs: 5000, restMs: 100, againMs: 300, idleMs: 30_000 });
    assert.deepEqual(kinds([await relay.send(mailNumber(1))]), ['unsent/down']);
    await pause(150);
    slow = 4000;
    const began = performance.now();
    assert.deepEqual(kinds([await relay.send(mailNumber(2))]), ['unsent/down']);
    assert.deepEqual(kinds([await relay.send(mailNumber(3))]), ['unsent/down'], 'turned away at once');
    assert.ok(performance.now() - began < 3800, `${performance.now() - began} ms`);
    await pause(4500);
    assert.deepEqual(kinds([await relay.send(mailNumber(4))]), ['accepted']);
    assert.equal(sink.counts().received, 1);
  });

  it('come back soon after the relay does', async () => {
    const port = await closedPort();
    const relay = opened.relay(`smtp://127.0.0.1:${port}`, { restMs: 1500 });
    assert.deepEqual(kinds([await relay.send(mailNumber(1))]), ['unsent/down']);
    const sink = await opened.sink({ port });
    assert.deepEqual(kinds([await relay.send(mailNumber(1))]), ['unsent/down'], 'not asked again for each mail');
    await pause(1600);
    assert.deepEqual(kinds(await Promise.all(numbers(20).map((n) => relay.send(mailNumber(n))))), Array(20).fill('accepted'));
    assert.equal(sink.counts().received, 20);
  });

  it('lost in the middle of much leave only those on the wire uncertain', async () => {
    const sink = await opened.sink();
    const relay = opened.relay(sink.url, { connections: 8 });
    const timer = setInterval(() => sink.dropConnections(), 5);
    const outcomes = await Promise.all(numbers(3000).map((n) => relay.send(mailNumber(n))));
    clearInterval(timer);
    const count = (kind: string) => outcomes.filter((outcome) => outcome.kind === kind).length;
    const { received, duplicated } = sink.counts();
    assert.equal(duplicated, 0);
    assert.equal(count('failed') + count('deferred'), 0);
    assert.ok(
      count('accepted') <= received && received <= count('accepted') + count('uncertain'),
      JSON.stringify({ received, accepted: count('accepted') }),
    );
    const certainlyNot = outcomes.flatMap((outcome, n) => (outcome.kind === 'unsent' ? [`person${n + 1}@example.org`] : []));
    for (const to of certainlyNot.slice(0, 50)) assert.deepEqual(sink.inbox.list(to), []);
  });

  it('are ended by close: what is on the wire is finished, what waits is given up', async () => {
    const sink = await opened.sink();
    const relay = opened.relay(sink.url, { connections: 2 });
    await relay.send(mailNumber(1));
    const sends = numbers(200, 2).map((n) => relay.send(mailNumber(n)));
    // Mails given in one go are dealt out when all are given.
    await Promise.resolve();
    await relay.close();
    const outcomes = await Promise.all(sends);
    const accepted = outcomes.filter(({ kind }) => kind === 'accepted').length;
    assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted', 'unsent/given-up']));
    assert.equal(sink.counts().received, accepted + 1);
    assert.deepEqual(kinds([await relay.send(mailNumber(300))]), ['unsent/given-up']);
  });
});

describe('the handshake with the relay', () => {
  const opened = new Opened();
  afterEach(() => opened.end());
  const auth = { user: 'ann', password: 'pass wörd', methods: ['PLAIN'] as const };
  const withLogin = (url: string, password: string, more = '') => url.replace('://', `://ann:${encodeURIComponent(password)}@`) + more;
  const sendOne = async (url: string) => {
    const outcome = await opened.relay(url).send(mailNumber(1));
    return { kind: kinds([outcome])[0], reply: outcome.reply };
  };

  it('falls back to HELO', async () => {
    const sink = await opened.sink({ rules: [{ at: 'ehlo', reply: '502 5.5.1 what?' }] });
    assert.equal((await sendOne(sink.url)).kind, 'accepted');
  });

  for (const [at, reply] of [
    ['connect', '554 5.3.2 no'],
    ['connect', '421 4.3.2 busy'],
    ['ehlo', '421 4.3.2 busy'],
  ] as const) {
    it(`${reply.slice(0, 3)} at ${at}: the relay is busy`, async () => {
      const sink = await opened.sink({ rules: [{ at, reply, next: 'close' }] });
      assert.deepEqual(await sendOne(sink.url), { kind: 'unsent/busy', reply });
    });
  }

  for (const method of ['PLAIN', 'LOGIN'] as const) {
    it(`gives credentials by AUTH ${method}; wrong ones are said to be so`, async () => {
      const sink = await opened.sink({ offers: { auth: { ...auth, methods: [method] } } });
      assert.equal((await sendOne(withLogin(sink.url, 'pass wörd'))).kind, 'accepted');
      const wrong = await sendOne(withLogin(sink.url, 'pass'));
      assert.deepEqual(wrong, { kind: 'unsent/refused-credentials', reply: '535 5.7.8 wrong credentials' });
      assert.deepEqual((await sendOne(sink.url)).kind, 'unsent/refused-credentials');
    });
  }

  it('credentials that cannot be checked just now are no wrong ones', async () => {
    const sink = await opened.sink({ offers: { auth }, rules: [{ at: 'auth', reply: '454 4.7.0 later' }] });
    assert.equal((await sendOne(withLogin(sink.url, 'pass wörd'))).kind, 'unsent/busy');
  });

  it('says so when the relay wants no credentials', async () => {
    const sink = await opened.sink();
    assert.deepEqual(await sendOne(withLogin(sink.url, 'x')), {
      kind: 'unsent/refused-credentials',
      reply: 'the relay offers no AUTH PLAIN or LOGIN',
    });
  });

  it('takes up STARTTLS where it is offered, and checks the certificate', async () => {
    const tls = makeCertificate();
    const sink = await opened.sink({ tls, offers: { auth } });
    assert.equal((await sendOne(withLogin(sink.url, 'pass wörd', '?tls.rejectUnauthorized=false'))).kind, 'accepted');
    const doubtful = await sendOne(withLogin(sink.url, 'pass wörd'));
    assert.equal(doubtful.kind, 'unsent/down');
    assert.match(doubtful.reply, /^the relay’s certificate is not believed: self-signed certificate \(.*tls\.rejectUnauthorized=false/);
    assert.equal(sink.counts().received, 1);
  });

  it('takes no certificate of another address, by STARTTLS or from the first byte', async () => {
    const authority = makeAuthority();
    const believed = getCACertificates('default');
    setDefaultCACertificates([...believed, authority.cert]);
    try {
      for (const implicit of [false, true]) {
        // Of localhost and 127.0.0.1.
        const tls = { ...makeCertificate({ authority }), implicit };
        assert.equal((await sendOne((await opened.sink({ tls })).url)).kind, 'accepted');
        const { kind, reply } = await sendOne((await opened.sink({ tls, host: '127.0.0.2' })).url);
        assert.equal(kind, 'unsent/down');
        assert.match(reply, /certificate is not believed: .*IP: 127\.0\.0\.2 is not in/);
      }
    } finally {
      setDefaultCACertificates(believed);
    }
  });

  it('carries much mail over TLS', async () => {
    const sink = await opened.sink({ tls: makeCertificate() });
    const relay = opened.relay(`${sink.url}?tls.rejectUnauthorized=false`);
    const large = 'x'.repeat(70).concat('\r\n').repeat(2000);
    const outcomes = await Promise.all(numbers(100).map((n) => relay.send(mailNumber(n, { message: mailNumber(n).message + large }))));
    assert.deepEqual(new Set(kinds(outcomes)), new Set(['accepted']));
    assert.equal(sink.inbox.list()[0]!.content.toString().slice(-large.length), large);
  });

  it('speaks TLS from the first byte to smtps://', async () => {
    const sink = await opened.sink({ tls: { ...makeCertificate(), implicit: true } });
    assert.equal((await sendOne(`${sink.url}?tls.rejectUnauthorized=false`)).kind, 'accepted');
    assert.match((await sendOne(sink.url)).reply, /certificate is not believed: self-signed certificate \(/);
  });

  it('says which address is meant where TLS is begun at a port without, or not at one with it', async () => {
    const plain = await opened.sink();
    const begun = await sendOne(plain.url.replace('smtp:', 'smtps:'));
    assert.match(begun.reply, /^the relay does not begin with TLS at this port \(.*smtp:\/\/.*\)$/);
    const secure = await opened.sink({ tls: { ...makeCertificate(), implicit: true } });
    const relay = opened.relay(secure.url.replace('smtps:', 'smtp:'), { timeoutMs: 300 });
    const { kind, reply } = await relay.send(mailNumber(1));
    assert.equal(kind, 'unsent');
    assert.match(reply, /^the relay takes the connection and says nothing \(.*smtps:\/\/.*\)$/);
  });

  it('says nothing in clear where TLS is required', async () => {
    const sink = await opened.sink();
    const { kind, reply } = await sendOne(`${sink.url}?requireTLS=true`);
    assert.equal(kind, 'unsent/refused-credentials');
    assert.match(reply, /no STARTTLS/);
    assert.equal(readRelayUrl('smtp://ann:x@relay.example').tls, 'required');
    assert.equal(readRelayUrl('smtp://ann:x@relay.example?requireTLS=false').tls, 'offered');
    assert.equal(readRelayUrl('smtp://ann:x@127.0.0.1').tls, 'offered');
  });

  for (const later of ['EHLO', 'STARTTLS']) {
    it(`comes back later to a relay that answers ${later} with 454, and does not take it for one that has no TLS`, async () => {
      const url = await opened.server((_socket, line) => {
        line('220 ready');
        return (command) => {
          if (command.startsWith(later)) line('454 4.7.0 TLS not available due to temporary reason');
          else line(command.startsWith('EHLO') ? '250-x\r\n250 STARTTLS' : '250 fine');
        };
      });
      assert.deepEqual(await sendOne(`${url}?requireTLS=true`), {
        kind: 'unsent/busy',
        reply: '454 4.7.0 TLS not available due to temporary reason',
      });
    });
  }

  for (const injected of ['250 injec', '250-x\r\n250 AUTH PLAIN\r\n']) {
    it(`trusts nothing that was sent in clear behind the answer to STARTTLS: ${JSON.stringify(injected)}`, async () => {
      const url = await opened.server((socket, line) => {
        line('220 ready');
        return (command) => {
          if (command.startsWith('EHLO')) line('250-x\r\n250 STARTTLS');
          else if (command === 'STARTTLS') socket.write(`220 go on\r\n${injected}`);
        };
      });
      const { kind, reply } = await sendOne(url);
      assert.equal(kind, 'unsent/down');
      assert.match(reply, /more than its answer/);
    });
  }
});

describe('answers of the relay', () => {
  const opened = new Opened();
  afterEach(() => opened.end());
  /** A server that answers each line with the same. */
  const echoing = (answer: string) =>
    opened.server((socket) => {
      socket.write(answer);
      return () => void socket.write(answer);
    });
  const sendTo = async (url: string) => {
    const outcome = await opened.relay(url).send(mailNumber(1));
    return { kind: kinds([outcome])[0], reply: outcome.reply };
  };

  it('may come in pieces of any size and in many lines', async () => {
    const sink = await opened.sink();
    const { connect } = await import('node:net');
    const url = await opened.server((socket) => {
      const inner = connect(Number(new URL(sink.url).port), '127.0.0.1');
      inner.on('error', () => {});
      socket.pipe(inner);
      const bytes: number[] = [];
      let writing = false;
      const trickle = () => {
        writing = bytes.length > 0;
        if (writing) socket.write(Buffer.from(bytes.splice(0, 3)), () => setImmediate(trickle));
      };
      inner.on('data', (chunk) => {
        bytes.push(...chunk);
        if (!writing) trickle();
      });
      return undefined;
    });
    const relay = opened.relay(url, { connections: 2 });
    const outcomes = await Promise.all(numbers(20).map((n) => relay.send(mailNumber(n))));
    assert.deepEqual(outcomes, Array(20).fill({ kind: 'accepted', reply: '250 2.0.0 taken' }));
  });

  for (const [what, answer, expected] of [
    ['garbage', 'HTTP/1.1 400 Bad Request\r\n\r\n', /does not answer in SMTP/],
    ['binary garbage', '\u0000\u0001\u0002\r\n', /does not answer in SMTP/],
    ['a line without end', 'x'.repeat(100_000), /does not end/],
    ['a reply without end', `${'220-more\r\n'.repeat(10_000)}`, /does not end/],
  ] as const) {
    it(`that are ${what} end the connection`, async () => {
      const { kind, reply } = await sendTo(await echoing(answer));
      assert.equal(kind, 'unsent/down');
      assert.match(reply, expected);
    });
  }

  it('that nobody asked for end the connection, and no mail is taken for sent', async () => {
    const url = await opened.server((socket, line) => {
      line('220 ready');
      return (command) => {
        if (command.startsWith('EHLO')) socket.write('250-x\r\n250 PIPELINING\r\n250 and more\r\n250 and more\r\n250 and more\r\n');
      };
    });
    assert.equal((await sendTo(url)).kind, 'unsent/down');
  });

  it('to DATA that are neither yes nor no end the connection', async () => {
    const sink = await opened.sink({ offers: { chunking: false }, rules: [{ at: 'data', reply: '250 fine' }] });
    assert.equal((await sendTo(sink.url)).kind, 'unsent/down');
  });
});
