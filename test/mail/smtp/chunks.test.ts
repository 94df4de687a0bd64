import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { SinkRule } from '../../../embedded/smtp-sink.ts';
import type { Outcome, Relay } from '../../../mail/contracts.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

const kindOf = (outcome: Outcome) => (outcome.kind === 'unsent' ? `unsent/${outcome.relay}` : outcome.kind);
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
/** Mails on one connection at most. */
const TOGETHER = 8;
const sendAll = (relay: Relay, count: number) => Promise.all(numbers(count).map((n) => relay.send(mailNumber(n))));

describe('mails in chunks (BDAT)', () => {
  const opened = new Opened();
  afterEach(() => opened.end());

  /** What became of ten mails over one connection, by their numbers; `received` in the order the relay took them. */
  async function tenMails(rules: SinkRule[]) {
    const sink = await opened.sink({ rules });
    const relay = opened.relay(sink.url, {
      connections: 1,
      timeoutMs: rules.some(({ next, misread }) => next === 'stall' || misread) ? 700 : 10_000,
    });
    const outcomes = await sendAll(relay, 10);
    const received = sink.inbox.list().map(({ to }) => Number(/\d+/.exec(to[0]!)![0]));
    assert.equal(new Set(received).size, received.length, 'nobody twice');
    for (const [n, outcome] of outcomes.entries()) {
      if (outcome.kind === 'accepted') assert.ok(received.includes(n + 1), `${n + 1} is there`);
      else if (outcome.kind !== 'uncertain') assert.ok(!received.includes(n + 1), `${n + 1} is ${outcome.kind}`);
    }
    return { kinds: outcomes.map(kindOf), outcomes, received, sink };
  }
  const accepted = (count: number) => Array<string>(count).fill('accepted');

  it('go out several in one write, once the relay has taken one', async () => {
    const pieces: string[] = [];
    const sink = await opened.sink();
    const url = await throughProxy(sink.url, (piece) => pieces.push(piece));
    const outcomes = await sendAll(opened.relay(url, { connections: 1, depth: () => 1 }), 50);
    assert.deepEqual(outcomes.map(kindOf), accepted(50));
    const commands = pieces.map((piece) =>
      piece
        .split('\r\n')
        .filter((line) => /^(RSET|MAIL|RCPT|BDAT|DATA)/.test(line))
        .map((line) => line.slice(0, 4))
        .join(' '),
    );
    assert.deepEqual(commands.slice(1, 4), ['MAIL RCPT', 'BDAT', 'RSET MAIL RCPT BDAT RSET MAIL RCPT BDAT']);
    assert.ok(pieces.length < 40, `${pieces.length} writes`);
    assert.ok(!commands.some((each) => each.includes('DATA')));
    assert.equal(sink.inbox.list()[0]!.content.toString(), mailNumber(50).message);
  });

  it('carry what they have as it is', async () => {
    const sink = await opened.sink();
    const message = `${mailNumber(1).message}.\r\n..\r\nBDAT 3 LAST\r\n\0\u00ff\n.\r\n`;
    await opened.relay(sink.url).send(mailNumber(1, { message }));
    assert.equal(sink.inbox.list()[0]!.content.toString('latin1'), message);
  });

  it('are not used where they are not offered, nor where they are switched off', async () => {
    for (const [offered, wanted] of [
      [false, true],
      [true, false],
    ] as const) {
      // BDAT would be refused for good.
      const sink = await opened.sink({ offers: { chunking: offered }, rules: [{ at: 'bdat', reply: '554 5.5.1 no chunks here' }] });
      const outcomes = await sendAll(opened.relay(sink.url, { chunking: wanted }), 20);
      assert.deepEqual(outcomes.map(kindOf), accepted(20));
    }
  });

  for (const reply of ['500 5.5.1 what?', '502 5.5.1 not implemented', '503 5.5.1 bad sequence']) {
    it(`give way to DATA where the relay offers them and answers ${reply}; no mail fails for it`, async () => {
      const { kinds, received } = await tenMails([{ at: 'bdat', reply }]);
      assert.deepEqual(kinds, accepted(10));
      assert.equal(received.length, 10);
    });
  }

  it('give way to DATA where the relay takes their content for commands', async () => {
    const data: string[] = [];
    const url = await opened.server((_socket, line) => {
      line('220 ready');
      let inContent = false;
      return (text) => {
        if (inContent) inContent = text !== '.';
        else if (text.startsWith('EHLO')) line('250-here\r\n250-CHUNKING\r\n250 PIPELINING');
        else if (text === 'DATA') inContent = true;
        if (text === 'DATA') line('354 go on');
        else if (text === '.') line(`250 2.0.0 taken ${data.push(text)}`);
        else if (!inContent && !text.startsWith('EHLO')) line(/^(MAIL|RCPT|RSET|hello)/.test(text) ? '250 ok' : '500 5.5.1 what?');
      };
    });
    const outcomes = await sendAll(opened.relay(url, { connections: 2 }), 20);
    assert.deepEqual(outcomes.map(kindOf), accepted(20));
    assert.equal(data.length, 20);
  });

  it('give way to DATA where the relay takes those of mails whose recipient it refused for commands (go-smtp before 0.26, and maddy)', async () => {
    const taken: string[] = [];
    let misread = 0;
    const url = await opened.server((socket, line) => {
      socket.setNoDelay(true);
      line('220 ready');
      let [to, inData, left, errors] = ['', false, 0, 0];
      const take = () => {
        taken.push(to);
        to = '';
        line('250 2.0.0 OK: queued');
      };
      return (text) => {
        const [word = '', size] = text.split(' ');
        if (socket.destroyed || socket.writableEnded) return;
        if (left > 0) {
          left -= text.length + 2;
          if (left === 0) take();
        } else if (inData) {
          inData = text !== '.';
          if (!inData) take();
        } else if (word === 'EHLO') line('250-here\r\n250-PIPELINING\r\n250 CHUNKING');
        else if (word === 'QUIT') socket.end('221 2.0.0 Bye\r\n');
        else if (word === 'RSET') {
          to = '';
          line('250 2.0.0 Session reset');
        } else if (word === 'MAIL') line('250 2.0.0 Roger, accepting mail');
        else if (word === 'RCPT' && text.includes('7@')) line('550 5.1.1 no such user');
        else if (word === 'RCPT') {
          to = text;
          line('250 2.0.0 I’ll make sure it gets this');
        } else if ((word === 'BDAT' || word === 'DATA') && to === '') line('502 5.5.1 Missing RCPT TO command.');
        else if (word === 'BDAT') left = Number(size);
        else if (word === 'DATA') {
          inData = true;
          line('354 Go ahead.');
        } else if (++misread && ++errors > 3) socket.end('500 5.5.1 Too many errors. Quiting now\r\n');
        else line('501 5.5.2 Bad command');
      };
    });
    const outcomes = await sendAll(opened.relay(url, { connections: 4 }), 100);
    // Once, and of those alone that were on the wire then.
    const uncertain = outcomes.filter(({ kind }) => kind === 'uncertain').length;
    assert.ok(misread > 0 && uncertain > 0 && uncertain <= 4 * TOGETHER, `${misread} lines were misread, ${uncertain} are uncertain`);
    for (const [n, { kind, reply }] of outcomes.entries())
      if (kind !== 'uncertain') assert.equal(kind, (n + 1) % 10 === 7 ? 'failed' : 'accepted', `${n + 1}: ${reply}`);
    assert.equal(new Set(taken).size, taken.length);
  });

  it('refused in the middle: the others go on behind them, with senders of their own', async () => {
    for (const [at, match, reply, kind] of [
      ['rcpt', '(person5|person6)@', '550 5.1.1 nobody', 'failed'],
      ['rcpt', '(person5|person6)@', '450 4.2.0 later', 'deferred'],
      ['mail', '7\\.(5|6)\\.', '451 4.3.0 later', 'deferred'],
      ['bdat', '(person5|person6)@', '554 5.7.1 no', 'failed'],
      ['message', '(person5|person6)@', '554 5.7.1 no', 'failed'],
    ] as const) {
      const { kinds, sink } = await tenMails([{ at, match, reply }]);
      assert.deepEqual(kinds, [...accepted(4), kind, kind, ...accepted(4)], at);
      for (const { from, to } of sink.inbox.list()) assert.equal(from.split('.')[1], /\d+/.exec(to[0]!)![0]);
    }
  });

  it('that the relay refused, and says in the end to have taken: uncertain', async () => {
    const { kinds } = await tenMails([
      { at: 'mail', match: '7\\.5\\.', reply: '550 5.7.1 not you' },
      { at: 'rcpt', match: 'person5@', reply: '250 2.1.5 ok' },
    ]);
    assert.deepEqual(kinds, [...accepted(4), 'uncertain', ...accepted(5)]);
    const goodbye = await tenMails([
      { at: 'mail', match: '7\\.5\\.', reply: '421 4.3.2 closing' },
      { at: 'rcpt', match: 'person5@', reply: '250 2.1.5 ok' },
    ]);
    assert.deepEqual(goodbye.kinds, [...accepted(4), 'uncertain', ...accepted(5)]);
  });

  it('of which only the first is answered: the others on the wire are uncertain, those behind are sent', async () => {
    for (const rule of [
      { at: 'content', match: 'person5@', next: 'close' },
      { at: 'message', match: 'person5@', next: 'close', keep: true },
      { at: 'message', match: 'person5@', next: 'stall' },
      { at: 'bdat', match: 'person5@', next: 'close' },
      { at: 'mail', match: '7\\.5\\.', next: 'close', times: 1 },
      { at: 'rset', from: 4, next: 'close', times: 1 },
    ] as SinkRule[]) {
      const { kinds } = await tenMails([rule]);
      const first = kinds.indexOf('uncertain');
      assert.ok(first === 4, `${JSON.stringify(rule)}: ${kinds}`);
      const last = kinds.lastIndexOf('uncertain');
      assert.deepEqual(new Set(kinds.slice(first, last + 1)), new Set(['uncertain']));
      assert.deepEqual(new Set(kinds.toSpliced(first, last - first + 1)), new Set(['accepted']));
    }
  });

  it('behind a 421 are unsent, and sent over the next connection', async () => {
    // One that closes, one that only says so and goes on (Exim), and one that says so to RSET (Exim again, behind ten recipients it refused).
    const reset = await tenMails([{ at: 'rset', from: 5, times: 1, reply: '554 5.5.0 too many nonmail commands', next: 'close' }]);
    assert.deepEqual(reset.kinds, accepted(10));
    const refused = await tenMails([{ at: 'mail', from: 5, times: 1, reply: '550 5.7.1 enough', next: 'close' }]);
    assert.equal(refused.kinds[4], 'accepted', 'those behind it may be there, it is not');
    for (const next of ['close', undefined] as const) {
      const { kinds, received } = await tenMails([
        { at: 'mail', from: 5, times: next ? 1 : 20, reply: '421 4.7.0 enough over this connection', next },
      ]);
      assert.deepEqual(kinds, accepted(10), String(next));
      assert.equal(received.length, 10);
    }
  });

  it('are sent over another connection when a relay says goodbye to one that rests, in pieces', async () => {
    for (const pieces of [
      ['421-4.4.2 timeout\r\n', '421 4.4.2 goodbye\r\n'],
      ['4', '21 4.4.2 timeout\r\n'],
    ]) {
      const sink = await opened.sink();
      const sockets: Socket[] = [];
      const url = await throughProxy(sink.url, (_piece, socket) => sockets.push(socket));
      const relay = opened.relay(url, { connections: 1, timeoutMs: 700 });
      assert.equal((await relay.send(mailNumber(1))).kind, 'accepted');
      const socket = sockets.at(-1)!;
      for (const piece of pieces) {
        socket.write(piece);
        await pause(50);
      }
      if (!socket.closed) await once(socket, 'close');
      const later = Promise.race([sendAll(relay, 3), pause(60_000, null, { ref: false })]);
      assert.deepEqual((await later)?.map(kindOf), accepted(3), 'nobody waits for ever');
      assert.equal(sink.counts().received, 4);
    }
  });

  it('read by a relay that counts wrong: no mail is taken for sent that is not, and none is sent twice', async () => {
    for (const misread of [-20, -1, 1, 7, 40]) {
      const { kinds, sink } = await tenMails([{ at: 'bdat', match: 'person5@', misread, times: 1 }]);
      assert.ok(!kinds.includes('failed') && !kinds.includes('unsent/refused-credentials'), `${misread}: ${kinds}`);
      assert.equal(sink.counts().duplicated, 0);
    }
  });

  it('answered once too often: the answer to a recipient is not taken for that to the content behind it', async () => {
    for (const extra of ['250 2.0.0 taken', '250 2.0.0 taken\r\n250 2.0.0 taken']) {
      const { kinds, received } = await tenMails([
        // One right behind the other.
        { at: 'message', match: 'person4@', reply: `250 2.0.0 taken\r\n${extra}`, times: 1 },
        { at: 'message', match: 'person5@', reply: '554 5.7.1 no' },
      ]);
      assert.deepEqual(kinds, [...accepted(4), 'uncertain', ...accepted(5)], extra);
      assert.ok(!received.includes(5));
    }
  });

  it('are taken for sent by whatever codes a relay says so', async () => {
    for (const rules of [
      // Google, Exchange, Momentum.
      [{ at: 'rset', reply: '250 2.1.5 Flushed 7a - gsmtp' }],
      [{ at: 'message', reply: '250 2.6.0 <7.1@mail.example> Queued mail for delivery' }],
      [
        { at: 'mail', reply: '250 2.0.0 MAIL FROM accepted' },
        { at: 'rcpt', reply: '250 2.0.0 RCPT TO accepted' },
      ],
      // Passed on from behind, where each mailbox has words of its own.
      [{ at: 'message', reply: '250 2.1.5 Ok' }],
      [{ at: 'message', match: '[2468]@', reply: '250 2.1.5 Ok' }],
      [{ at: 'rcpt', match: '[2468]@', reply: '250 2.1.0 Ok' }],
      [{ at: 'message', reply: '250 ok' }],
    ] as SinkRule[][]) {
      const { kinds } = await tenMails(rules);
      assert.deepEqual(kinds, accepted(10), JSON.stringify(rules));
    }
  });

  it('are written no further while a relay does not read', async () => {
    const large = 'x'.repeat(70).concat('\r\n').repeat(1000);
    const mail = (n: number) => mailNumber(n, { message: mailNumber(n).message + large });
    const sink = await opened.sink();
    let paused: Socket | undefined;
    const url = await throughProxy(sink.url, (piece, socket) => {
      if (paused || !piece.includes('person3@')) return;
      paused = socket.pause();
      setTimeout(() => socket.resume(), 300);
    });
    const relay = opened.relay(url, { connections: 1 });
    const outcomes = await Promise.all(numbers(30).map((n) => relay.send(mail(n))));
    assert.deepEqual(outcomes.map(kindOf), accepted(30));
    assert.equal(sink.inbox.list()[0]!.content.toString().slice(-large.length), large);
  });

  /** A way to the sink that shows what is written. */
  async function throughProxy(target: string, look: (piece: string, socket: Socket) => void): Promise<string> {
    const { connect } = await import('node:net');
    return opened.server((socket) => {
      const inner = connect(Number(new URL(target).port), '127.0.0.1').on('error', () => {});
      inner.setNoDelay(true);
      socket.on('data', (piece: Buffer) => look(piece.toString('latin1'), socket));
      socket.pipe(inner).pipe(socket);
      return undefined;
    });
  }
});
