import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SinkRule } from '../../../embedded/smtp-sink.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

const reply = fc.constantFrom('250 2.0.0 fine', '421 4.7.0 busy', '450 4.2.1 later', '550 5.1.1 no', '354 go on', 'garbage');
const rule: fc.Arbitrary<SinkRule> = fc.record({
  at: fc.constantFrom('mail', 'rcpt', 'data', 'bdat', 'content', 'message', 'rset', 'ehlo', 'connect' as const),
  reply: fc.option(reply, { nil: undefined }),
  next: fc.constantFrom(undefined, 'close' as const),
  match: fc.constantFrom(undefined, '[0-4]@', '1[0-9]@'),
  times: fc.integer({ min: 1, max: 6 }),
  from: fc.integer({ min: 1, max: 4 }),
  keep: fc.constantFrom(undefined, true),
});
// Answers a relay cannot give without lying or falling silent, which would only cost the test its time limit.
const sensible = (each: SinkRule) =>
  !(each.reply === undefined && each.next === undefined) &&
  !(each.keep && /^[45g]/.test(each.reply ?? '')) &&
  !(each.keep && each.at !== 'message') &&
  !(each.at === 'bdat' && each.next && each.reply?.startsWith('2')) &&
  each.at !== 'content';

/** A relay that will not have the sender, and goes on as if it had said nothing: an empty message would be a mail to it. */
const REFUSED_AND_GONE_ON_WITH: SinkRule[] = [
  { at: 'mail', reply: '550 5.1.1 no' },
  { at: 'rcpt', reply: '250 2.0.0 fine' },
];

/** One that goes on with a nonsense, and does take the recipient. */
const REFUSED_AND_ASKED_FOR_MORE: SinkRule[] = [
  { at: 'rcpt', reply: '354 go on', times: 1, from: 2 },
  { at: 'mail', reply: '550 5.1.1 no', times: 1, from: 2 },
];

/** One that says goodbye, goes on all the same, and then says a nonsense: it has taken what stood behind. */
const GOODBYE_AND_GONE_ON: SinkRule[] = [
  { at: 'message', reply: '550 5.1.1 no', next: 'close', times: 4, from: 1 },
  { at: 'rset', reply: '354 go on', times: 1, from: 2 },
  { at: 'message', reply: '421 4.7.0 busy', match: '[0-4]@', times: 1, from: 1 },
];

describe('whatever trouble a relay makes', () => {
  it('what is said of a mail is true: accepted is there, failed, deferred and unsent is not, and nothing is there twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule.filter(sensible), { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        async (rules, pipelining, chunking) => {
          const opened = new Opened();
          try {
            const sink = await opened.sink({ rules, offers: { pipelining, chunking }, keep: 1000 });
            const relay = opened.relay(sink.url, { connections: 3, timeoutMs: 3000, restMs: 5 });
            const outcomes = await Promise.all(Array.from({ length: 40 }, (_, n) => relay.send(mailNumber(n))));
            const there = new Set(sink.inbox.list().flatMap(({ to }) => to));
            outcomes.forEach((outcome, n) => {
              const isThere = there.has(`person${n}@example.org`);
              if (outcome.kind === 'accepted') assert.ok(isThere, `${n} accepted`);
              else if (outcome.kind !== 'uncertain') assert.ok(!isThere, `${n} ${outcome.kind} ${outcome.reply}`);
            });
            assert.equal(sink.counts().duplicated, 0);
          } finally {
            await opened.end();
          }
        },
      ),
      {
        numRuns: 150,
        examples: [
          [REFUSED_AND_GONE_ON_WITH, true, false],
          [REFUSED_AND_GONE_ON_WITH, true, true],
          [REFUSED_AND_ASKED_FOR_MORE, true, true],
          [GOODBYE_AND_GONE_ON, true, true],
        ],
      },
    );
  });
});
