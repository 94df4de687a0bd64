import assert from 'node:assert/strict';
import type { SinkOffers } from '../../../embedded/sink/session.ts';
import type { SinkRule } from '../../../embedded/smtp-sink.ts';
import type { Outcome } from '../../../mail/contracts.ts';
import { finalOutcome, type Pool } from '../../../mail/smtp/delivery.ts';
import { processorMs } from '../../support/processor-time.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

/** `kind`, or `unsent/why`. */
const kindOf = (outcome: Outcome) => (outcome.kind === 'unsent' ? `unsent/${outcome.relay}` : outcome.kind);

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('what a relay says, however long it is', () => {
  it('is understood in no time', () => {
    const pool = { putOffByItself: (reply: string) => ({ kind: 'deferred', reply }) } as unknown as Pool;
    for (const piece of ['<', '<>', 'rate ', 'too many recipients ', 'grey', 'client host ', '4.', ' ', '\n450-']) {
      const text = `450 ${piece.repeat(16_000 / piece.length)}`;
      assert.ok(processorMs(() => finalOutcome(450, text, pool)) < 30, piece);
    }
  });
});

describe('what becomes of a mail at the relay', () => {
  const opened = new Opened();
  afterEach(() => opened.end());

  /** Sends one mail into trouble and one after it, over one connection. */
  async function twoMails(rules: SinkRule[], offers: Partial<SinkOffers>) {
    const sink = await opened.sink({ rules, offers });
    // Only where the relay falls silent is it worth waiting for little.
    const timeoutMs = rules.some(({ next }) => next === 'stall') ? 700 : 10_000;
    const relay = opened.relay(sink.url, { connections: 1, timeoutMs });
    const outcomes = await Promise.all([relay.send(mailNumber(1)), relay.send(mailNumber(2))]);
    return { kinds: outcomes.map(kindOf), outcomes, received: sink.inbox.list().map(({ to }) => to[0]!), connections: sink.connections() };
  }

  const first = 'person1@';
  const firstSender = 'bounce.7\\.1\\.';
  const cases: { name: string; rules: SinkRule[]; kind: string; second?: string }[] = [
    { name: 'a recipient refused for good', rules: [{ at: 'rcpt', match: first, reply: '550 5.1.1 nobody here' }], kind: 'failed' },
    { name: 'a recipient put off', rules: [{ at: 'rcpt', match: first, reply: '450 4.2.1 later' }], kind: 'deferred' },
    { name: 'a sender put off', rules: [{ at: 'mail', match: firstSender, reply: '451 4.3.0 later' }], kind: 'deferred' },
    { name: 'a mail said to be too large', rules: [{ at: 'mail', match: firstSender, reply: '552 5.3.4 too large' }], kind: 'failed' },
    {
      name: 'a sender refused for good',
      rules: [{ at: 'mail', match: firstSender, reply: '550 5.7.1 not you' }],
      kind: 'unsent/refused-credentials',
    },
    { name: 'content refused', rules: [{ at: 'message', match: first, reply: '554 5.7.1 spam' }], kind: 'failed' },
    { name: 'content put off', rules: [{ at: 'message', match: first, reply: '452 4.3.1 disk full' }], kind: 'deferred' },
    {
      name: 'a sender put off, and the recipient taken all the same',
      rules: [{ at: 'mail', match: firstSender, reply: '451 4.3.0 later', keep: true }],
      kind: 'deferred',
    },
  ];
  const ofData: typeof cases = [
    { name: 'DATA put off', rules: [{ at: 'data', match: first, reply: '451 4.3.0 later' }], kind: 'deferred' },
    { name: 'DATA refused', rules: [{ at: 'data', match: first, reply: '554 5.5.1 no' }], kind: 'failed' },
    {
      name: 'a sender put off, the recipient taken, and DATA refused',
      rules: [
        { at: 'mail', match: firstSender, reply: '451 4.3.0 later', keep: true },
        { at: 'data', match: first, reply: '503 5.5.1 no', times: 1 },
      ],
      kind: 'deferred',
    },
    {
      name: 'a recipient refused, and DATA taken all the same',
      rules: [
        { at: 'rcpt', match: first, reply: '550 5.1.1 nobody here' },
        { at: 'data', reply: '354 go on', times: 1 },
      ],
      kind: 'failed',
    },
    {
      name: 'a sender refused, and DATA taken all the same',
      rules: [
        { at: 'mail', match: firstSender, reply: '451 4.3.0 later' },
        { at: 'data', reply: '354 go on', times: 1 },
      ],
      kind: 'deferred',
    },
  ];
  const ofBdat: typeof cases = [
    { name: 'the chunk put off', rules: [{ at: 'bdat', match: first, reply: '451 4.3.0 later' }], kind: 'deferred' },
    { name: 'the chunk refused', rules: [{ at: 'bdat', match: first, reply: '554 5.7.1 no' }], kind: 'failed' },
  ];
  for (const [name, offers] of Object.entries({
    'by DATA': { chunking: false, pipelining: true },
    'by DATA, one command at a time': { chunking: false, pipelining: false },
    'by BDAT': { chunking: true, pipelining: true },
    'by BDAT, one command at a time': { chunking: true, pipelining: false },
  })) {
    describe(name, () => {
      for (const { name, rules, kind } of [...cases, ...(offers.chunking ? ofBdat : ofData)]) {
        it(`${name}: ${kind}, and the connection goes on`, async () => {
          const { kinds, received, connections } = await twoMails(rules, offers);
          assert.deepEqual(kinds, [kind, 'accepted']);
          assert.deepEqual(received, ['person2@example.org']);
          assert.equal(connections, 1);
        });
      }

      for (const at of ['mail', 'rcpt', ...(offers.chunking ? [] : (['data'] as const))] as const) {
        it(`421 at ${at}: unsent, the relay is busy`, async () => {
          const { kinds, received } = await twoMails([{ at, reply: '421 4.7.0 too much', next: 'close' }], offers);
          assert.deepEqual(kinds, ['unsent/busy', 'unsent/busy']);
          assert.deepEqual(received, []);
        });

        it(`the connection lost at ${at}: another is tried, then unsent`, async () => {
          const once = await twoMails([{ at, next: 'close', times: 1 }], offers);
          assert.deepEqual(once.kinds, ['accepted', 'accepted']);
          const always = await twoMails([{ at, next: 'close' }], offers);
          assert.deepEqual(always.kinds, ['unsent/down', 'unsent/down']);
        });

        it(`silence at ${at}: unsent after the time limit`, async () => {
          const { kinds } = await twoMails([{ at, next: 'stall', match: '(person|7.)1', times: 3 }], offers);
          // Tried again, it goes whole behind the other one: then only the relay knows.
          assert.equal(kinds[0], offers.chunking && offers.pipelining ? 'uncertain' : 'unsent/down');
          assert.equal(kinds[1], 'accepted');
        });
      }

      const ofItself: SinkRule[] = [
        { at: 'mail', reply: '452 4.4.5 Insufficient disk space; try again later' },
        { at: 'rcpt', reply: '452 space shortage, please try later' },
        { at: 'rcpt', reply: '451 4.3.0 <x@example.org>: Temporary lookup failure' },
        { at: 'message', reply: '451 4.3.0 Error: queue file write error' },
        { at: 'message', reply: '454 Throttling failure: Daily message quota exceeded.' },
        { at: 'rcpt', reply: '450 4.7.1 Error: too many recipients from 127.0.0.1' },
        { at: 'message', reply: '451 4.7.1 Ratelimit "bounce_to" exceeded' },
        { at: 'rcpt', reply: '451 Sender rate overlimit - 120.3 / 1h' },
        { at: 'message', reply: '451 4.7.1 Service unavailable - try again later' },
        { at: 'rcpt', reply: '450 4.1.8 <bounce+7.1.check@mail.example>: Sender address rejected: Domain not found' },
        { at: 'rcpt', reply: '450 4.7.25 Client host rejected: cannot find your hostname, [127.0.0.1]' },
        { at: 'rcpt', reply: '450 4.7.1 <campaign.example>: Helo command rejected: Host not found' },
      ];
      for (const rule of ofItself) {
        it(`every mail put off because of the relay itself, ${rule.at} by ${rule.reply}: no try of those behind`, async () => {
          const sink = await opened.sink({ rules: [rule], offers });
          const relay = opened.relay(sink.url, { connections: 2 });
          const send = async (count: number) => (await Promise.all(numbers(count).map((n) => relay.send(mailNumber(n))))).map(kindOf);
          // By rates it does so again and again, and each time would cost as many a try. What it says to senders is of no recipient, be there ever so few.
          const atSenders = rule.at === 'mail';
          for (const [tries, taken] of [
            [atSenders ? 2 : 20, 5],
            [2, 45],
            [atSenders ? 2 : 4, 5],
          ] as const) {
            const kinds = await send(60);
            assert.deepEqual(kinds.sort(), [...Array(tries).fill('deferred'), ...Array(60 - tries).fill('unsent/busy')]);
            assert.deepEqual(await send(5), Array(5).fill('unsent/busy'));
            sink.setRules([]);
            assert.deepEqual(await send(taken), Array(taken).fill('accepted'));
            sink.setRules([rule]);
          }
        });
      }

      const ofRecipients: SinkRule[] = [
        { at: 'rcpt', reply: '450 4.2.0 <x@example.org>: Recipient address rejected: Greylisted' },
        { at: 'rcpt', reply: '450 4.1.1 <x@example.org>: unverified address: Address verification in progress' },
        { at: 'rcpt', reply: '452 4.2.2 mailbox full' },
        { at: 'message', reply: '451 4.7.1 Try again later' },
        { at: 'rcpt', reply: '451 Temporary local problem - please try later' },
        { at: 'rcpt', reply: '450 4.7.1 <unknown[127.0.0.1]>: Client host rejected: Greylisted for 5 minutes' },
        {
          at: 'rcpt',
          reply: '450 4.1.7 <bounce+7.1@mail.example>: Sender address rejected: unverified address: Address verification in progress',
        },
        { at: 'rcpt', reply: '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents more' },
        { at: 'rcpt', reply: '450 4.7.1 <flat-rate@example.org>: Recipient address rejected: Try again later' },
      ];
      for (const rule of ofRecipients) {
        it(`every mail put off because of its recipient, ${rule.at} by ${rule.reply}: a try of each`, async () => {
          const sink = await opened.sink({ rules: [rule], offers });
          const relay = opened.relay(sink.url, { connections: 2 });
          const outcomes = await Promise.all(numbers(60).map((n) => relay.send(mailNumber(n))));
          assert.deepEqual(outcomes.map(kindOf), Array(60).fill('deferred'));
        });
      }

      for (const reply of ['452 4.5.3 too many messages sent', '550 5.7.0 too many messages in this session']) {
        it(`senders answered ${reply.slice(0, 3)} behind so many mails of a connection: sent over others, each once`, async () => {
          const sink = await opened.sink({ rules: [{ at: 'mail', from: 6, reply }], offers });
          const relay = opened.relay(sink.url, { connections: 2 });
          const outcomes = await Promise.all(numbers(60).map((n) => relay.send(mailNumber(n))));
          assert.deepEqual(new Set(outcomes.map(kindOf)), new Set(['accepted']));
          assert.deepEqual(
            sink.inbox
              .list()
              .map(({ to }) => to[0]!)
              .sort(),
            numbers(60)
              .map((n) => `person${n}@example.org`)
              .sort(),
          );
        });
      }

      it('421 after the final dot: unsent, the relay has said that it does not have it', async () => {
        const { kinds, received } = await twoMails([{ at: 'message', match: first, reply: '421 4.3.2 going down', next: 'close' }], offers);
        assert.deepEqual(kinds, ['unsent/busy', 'accepted']);
        assert.deepEqual(received, ['person2@example.org']);
      });

      it('the connection lost while the content is sent: uncertain', async () => {
        const { kinds, received } = await twoMails([{ at: 'content', match: first, next: 'close' }], offers);
        assert.deepEqual(kinds, ['uncertain', 'accepted']);
        assert.deepEqual(received, ['person2@example.org']);
      });

      it('the connection lost between the final dot and its answer: uncertain, whether the relay has it or not', async () => {
        const has = await twoMails([{ at: 'message', match: first, next: 'close', keep: true }], offers);
        assert.deepEqual(has.kinds, ['uncertain', 'accepted']);
        assert.deepEqual(has.received, ['person2@example.org', 'person1@example.org']);
        const hasNot = await twoMails([{ at: 'message', match: first, next: 'close' }], offers);
        assert.deepEqual(hasNot.kinds, ['uncertain', 'accepted']);
      });

      it('no answer to the final dot: uncertain after the time limit', async () => {
        const { kinds } = await twoMails([{ at: 'message', match: first, next: 'stall' }], offers);
        assert.deepEqual(kinds, ['uncertain', 'accepted']);
      });

      it('a mail that may no longer be written is given up, and the relay does not get it', async () => {
        const sink = await opened.sink({ offers });
        const relay = opened.relay(sink.url, { connections: 1 });
        let asked = 0;
        const mayWrite = () => {
          asked++;
          return false;
        };
        const [given, other] = await Promise.all([relay.send(mailNumber(1), mayWrite), relay.send(mailNumber(2), () => true)]);
        assert.deepEqual([kindOf(given), kindOf(other), asked], ['unsent/given-up', 'accepted', 1]);
        assert.equal(sink.counts().received, 1);
      });
    });
  }

  it('keeps the relay’s words, without anything a database or a terminal minds', async () => {
    const { outcomes } = await twoMails([{ at: 'rcpt', match: first, reply: '550-5.1.1 no\0body\u001b[31m\r\n550 here' }], {});
    assert.equal(outcomes[0]!.reply, '550-5.1.1 no body [31m here');
  });

  it('refuses addresses that could end a command, before any relay sees them', async () => {
    const sink = await opened.sink();
    const relay = opened.relay(sink.url);
    for (const envelopeTo of [
      'a@b.example>\r\nRCPT TO:<c@d.example',
      'a b@c.example',
      '<a@b.example',
      'a@b.example\0',
      '',
      'a@b.example\u2028',
    ]) {
      assert.equal((await relay.send(mailNumber(1, { envelopeTo }))).kind, 'failed', JSON.stringify(envelopeTo));
      assert.equal((await relay.send(mailNumber(1, { envelopeFrom: envelopeTo }))).kind, 'failed');
    }
    assert.equal(sink.counts().received, 0);
  });

  it('does not send what the relay says is too large for it', async () => {
    const sink = await opened.sink({ offers: { size: 1000 } });
    const relay = opened.relay(sink.url, { connections: 1 });
    const large = mailNumber(1, { message: `${mailNumber(1).message}${'x'.repeat(70)}\r\n`.padEnd(1100, 'y') });
    const outcomes = await Promise.all([relay.send(large), relay.send(mailNumber(2))]);
    assert.deepEqual(outcomes.map(kindOf), ['failed', 'accepted']);
    assert.match(outcomes[0].reply, /takes 1000/);
  });

  it('reaches an address beyond ASCII where the relay can, and says so where it cannot', async () => {
    const able = await opened.sink();
    assert.equal((await opened.relay(able.url).send(mailNumber(1, { envelopeTo: 'žofie@example.org' }))).kind, 'accepted');
    assert.deepEqual(able.inbox.list()[0]!.to, ['žofie@example.org']);
    const unable = await opened.sink({ offers: { smtputf8: false } });
    const outcome = await opened.relay(unable.url).send(mailNumber(1, { envelopeTo: 'žofie@example.org' }));
    assert.equal(outcome.kind, 'failed');
  });
});
