import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome, Relay } from '../../../mail/contracts.ts';
import { readRelays } from '../../../mail/smtp/relay-url.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

const kinds = (outcomes: Outcome[]) => [...new Set(outcomes.map((outcome) => outcome.kind))].sort();

/** As a slice does: no more under way than twice the connections. */
async function sendAll(relay: Relay, count: number, from = 1): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = from;
  const lane = async () => {
    while (next < from + count) outcomes.push(await relay.send(mailNumber(next++)));
  };
  await Promise.all(Array.from({ length: 2 * relay.connections }, lane));
  return outcomes;
}

describe('several relays', () => {
  const opened = new Opened();
  afterEach(() => opened.end());

  it('share the mails by their weights', async () => {
    const [a, b] = [await opened.sink(), await opened.sink()];
    const relay = opened.relays(`${a.url}?weight=3 ${b.url}?weight=1`);
    for (let n = 1; n <= 100; n++) assert.equal((await relay.send(mailNumber(n))).kind, 'accepted');
    assert.deepEqual([a.counts().received, b.counts().received], [75, 25]);
  });

  it('give what one has no room for to the others', async () => {
    const slow = await opened.server((socket, line) => {
      line('220 slow');
      return (text) => (text === 'QUIT' ? socket.end() : /^(EHLO|MAIL|RCPT)/.test(text) ? line('250 ok') : undefined);
    });
    const fast = await opened.sink();
    const relay = opened.relays(`${slow}?weight=1&connections=2 ${fast.url}?weight=1`, { timeoutMs: 1500 });
    await sendAll(relay, 300);
    // All but the few that wait at the slow one, and those come over when it has been given up.
    assert.equal(fast.counts().received, 300);
    assert.equal(fast.counts().duplicated, 0);
  });

  it('wait for one that is away rather than give up because another refuses us', async () => {
    const away = await opened.sink();
    await away.close();
    const strict = await opened.sink({ offers: { auth: { user: 'u', password: 'right', methods: ['PLAIN'] } } });
    const relay = opened.relays(`${away.url} ${strict.url.replace('//', '//u:wrong@')}`);
    for (let n = 1; n <= 3; n++) {
      const outcome = await relay.send(mailNumber(n));
      assert.deepEqual([outcome.kind, outcome.kind === 'unsent' && outcome.relay], ['unsent', 'down']);
    }
  });

  it('take over from one that is down, for a growing time, and let it back in when it is up', async () => {
    const [a, b] = [await opened.sink({ rules: [{ at: 'connect', reply: '421 not now', next: 'close' }] }), await opened.sink()];
    const rests: number[] = [];
    let over = Infinity;
    const relay = opened.relays(`${a.url} ${b.url}`, {
      onRest: (_name, ms) => {
        rests.push(ms);
        over = performance.now() + ms;
      },
    });
    const began = performance.now();
    assert.deepEqual(kinds(await sendAll(relay, 50)), ['accepted']);
    assert.deepEqual([a.counts().received, b.counts().received], [0, 50]);
    if (performance.now() - began < 1000) assert.deepEqual(rests, [1000]);
    await pause(over - performance.now() + 50);
    const before = rests.length;
    assert.deepEqual(kinds(await sendAll(relay, 10, 51)), ['accepted']);
    assert.ok(rests.length > before, `${rests}`);
    assert.deepEqual(
      rests,
      rests.map((_, n) => 1000 * 2 ** n),
    );
    a.setRules([]);
    await pause(over - performance.now() + 50);
    assert.deepEqual(kinds(await sendAll(relay, 40, 61)), ['accepted']);
    assert.deepEqual(kinds(await sendAll(relay, 40, 101)), ['accepted']);
    assert.ok(a.counts().received >= 15, `${a.counts().received} over the one that is back`);
    assert.deepEqual([a.counts().received + b.counts().received, a.counts().duplicated + b.counts().duplicated], [140, 0]);
  });

  it('never get a mail that may be with another one already', async () => {
    // Takes the mail, and closes without a word.
    const [a, b] = [await opened.sink({ rules: [{ at: 'message', next: 'close', keep: true }] }), await opened.sink()];
    let rests = 0;
    const relay = opened.relays(`${a.url} ${b.url}`, { onRest: () => rests++ });
    const outcomes = await sendAll(relay, 60);
    const uncertain = outcomes.filter(({ kind }) => kind === 'uncertain').length;
    assert.deepEqual(kinds(outcomes), ['accepted', 'uncertain']);
    assert.deepEqual([a.counts().received, b.counts().received], [uncertain, 60 - uncertain]);
    // It was taken out for that, again where the machine took longer than it rests.
    assert.ok(uncertain <= 12 * rests, `${uncertain} uncertain, ${rests} rests`);
  });

  it('do not let one that refuses everybody use up its share of the recipients', async () => {
    const [a, b] = [await opened.sink({ rules: [{ at: 'rcpt', reply: '554 5.7.1 relay access denied' }] }), await opened.sink()];
    let [failed, rests] = [0, 0];
    const relay = opened.relays(`${a.url} ${b.url}`, { onRest: () => rests++ });
    for (let n = 1; n <= 200; n++) failed += Number((await relay.send(mailNumber(n))).kind === 'failed');
    // One more each time it is let back in, which it is after a second.
    assert.ok(rests > 0 && failed <= 20 + rests, `${failed} failed, ${rests} rests`);
    assert.equal(b.counts().received, 200 - failed);
  });

  for (const [kind, reply] of [
    ['deferred', '450 4.2.0 greylisted'],
    ['failed', '550 5.1.1 nobody here'],
  ] as const) {
    it(`keep the last one in that says ${reply.slice(0, 3)} to each: every recipient has a try, as with one relay`, async () => {
      const rules = [{ at: 'rcpt', reply } as const];
      const [a, b] = [await opened.sink({ rules }), await opened.sink({ rules })];
      const alone = opened.relays(`${a.url}?rate=100000`);
      assert.deepEqual(kinds(await sendAll(alone, 100)), [kind]);
      const both = opened.relays(`${a.url} ${b.url}`);
      assert.deepEqual(kinds(await sendAll(both, 100)), [kind]);
      const away = await opened.sink();
      await away.close();
      const refusing = opened.relays(`${away.url} ${b.url}`);
      const outcomes = await sendAll(refusing, 100);
      assert.ok(outcomes.filter((outcome) => outcome.kind === kind).length < 30, 'the one that is away may come back');
      b.setRules([]);
      assert.equal((await both.send(mailNumber(200))).kind, 'accepted');
    });
  }

  it('leave a mail that one of them cannot be given to another that can', async () => {
    const [plain, able] = [await opened.sink({ offers: { smtputf8: false, size: 1000 } }), await opened.sink()];
    const rests: string[] = [];
    const relay = opened.relays(`${plain.url}?weight=1000 ${able.url}?weight=1`, { onRest: (name) => rests.push(name) });
    for (let n = 1; n <= 30; n++) {
      const outcome = await relay.send(mailNumber(n, { envelopeTo: `žofie${n}@example.org` }));
      assert.equal(outcome.kind, 'accepted', outcome.reply);
    }
    const large = mailNumber(31, { message: `${mailNumber(31).message}${'x'.repeat(70)}\r\n`.padEnd(1100, 'y') });
    assert.equal((await relay.send(large)).kind, 'accepted');
    assert.deepEqual([plain.counts().received, able.counts().received, rests], [0, 31, []]);
    assert.equal((await relay.send(mailNumber(32))).kind, 'accepted');
    assert.equal(plain.counts().received, 1, 'it is not held against the one that could not');
    const alone = opened.relays(`${plain.url}?rate=1000`);
    assert.equal((await alone.send(mailNumber(1, { envelopeTo: 'žofie@example.org' }))).kind, 'failed');
    // Nobody else waits for a mail that waits for the other one.
    await able.close();
    assert.equal((await relay.send(mailNumber(33, { envelopeTo: 'žofie@example.org' }))).kind, 'deferred');
    assert.equal((await relay.send(mailNumber(34))).kind, 'accepted');
    assert.equal((await relay.send(mailNumber(35, { envelopeTo: 'žofie@example.org' }))).kind, 'deferred');
  });

  it('go on without one that refuses our credentials, and say so when there is no other', async () => {
    const auth = { user: 'u', password: 'right', methods: ['PLAIN'] as const };
    const [a, b] = [await opened.sink({ offers: { auth } }), await opened.sink()];
    const wrong = a.url.replace('//', '//u:wrong@');
    const both = opened.relays(`${wrong} ${b.url}`);
    assert.deepEqual(kinds(await sendAll(both, 20)), ['accepted']);
    const alone = opened.relays(`${wrong}?rate=1000`);
    const outcome = await alone.send(mailNumber(99));
    assert.deepEqual([outcome.kind, 'relay' in outcome && outcome.relay], ['unsent', 'refused-credentials']);
  });

  it('admit no more mails than their rates, when all of them have one', async () => {
    const [a, b] = [await opened.sink(), await opened.sink()];
    const drawn: string[] = [];
    const draw = async (key: string, rate: number) => {
      drawn.push(`${key.split(' ')[0]} ${rate}`);
      return { granted: 3, waitMs: 10_000 };
    };
    const relay = opened.relays(`${a.url}?rate=7 ${b.url}?rate=9`, { draw });
    assert.equal(relay.admit?.(10).granted, 0);
    await pause(5);
    assert.equal(relay.admit?.(10).granted, 6);
    assert.deepEqual(drawn.toSorted(), ['relay 7', 'relay 9']);
    await sendAll(relay, 6);
    assert.deepEqual([relay.admit?.(10).granted, a.counts().received, b.counts().received], [0, 3, 3]);
    const unlimited = opened.relays(`${a.url}?rate=7 ${b.url}`, { draw });
    assert.equal(unlimited.admit?.(10).granted, 10);
  });

  it('put a proof before the mails that wait in line', async () => {
    const order: string[] = [];
    const sink = await opened.sink({ onMail: ({ to }) => order.push(to[0] as string) });
    const relay = opened.relays(`${sink.url}?connections=1`);
    const bulk = Promise.all(Array.from({ length: 30 }, (_, n) => relay.send(mailNumber(n))));
    await relay.send(mailNumber(99), undefined, true);
    await bulk;
    assert.ok(order.indexOf('person99@example.org') <= 2, order.join(' '));
  });
});

describe('SMTP_RELAYS', () => {
  it('is read as URLs with weights, connections and rates', () => {
    const read = readRelays('smtp://u:p@a.example:2525?weight=3&rate=0.5,  smtps://b.example?connections=8', 32);
    assert.deepEqual(
      read.map(({ name, weight, connections, rate }) => [name, weight, connections, rate]),
      [
        ['a.example:2525', 3, 32, 0.5],
        ['b.example:465', 1, 8, null],
      ],
    );
  });

  it('is refused with what is wrong, without the password', () => {
    const refused = (text: string, what: RegExp) =>
      assert.throws(
        () => readRelays(text, 32),
        (error: Error) => what.test(error.message) && !error.message.includes('secret'),
      );
    refused('smtp://u:secret@a.example?weight=0', /weight of a.example:587 must be a number/);
    refused('smtp://u:secret@a.example?rate=fast', /rate of a.example:587 must be a number/);
    refused('smtp://a.example smtp://a.example:25', /a.example:25 is named twice/);
    for (const password of ['100%secret', 'sec/secret', '12#secret', '12?secret', '12/secret'])
      refused(`smtp://u:${password}@a.example`, /%2F %3F %23 %25/);
    refused('relay.example', /not a URL|must begin with smtp/);
  });
});
