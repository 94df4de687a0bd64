import { deepEqual } from 'node:assert/strict';
import { pino } from 'pino';
import { readEnv } from '../../../config/env.ts';
import { openRelay } from '../../../core/sending/relay-chain.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

describe('what a relay says of a mail', () => {
  const opened = new Opened();
  after(() => opened.end());

  const cases: [rule: { at: 'rcpt' | 'message'; reply: string; next?: 'close' }, kept: [kind: string, reply: string]][] = [
    [{ at: 'rcpt', reply: '550 5.1.1 <person1@example.org>: User unknown' }, ['failed', '550 5.1.1 <…>: User unknown']],
    [{ at: 'message', reply: '451 mailbox PERSON1@example.org is full' }, ['deferred', '451 mailbox … is full']],
    [{ at: 'rcpt', reply: '550 <person1>... no, ask postmaster@relay.example' }, ['failed', '550 <…>... no, ask postmaster@relay.example']],
    [{ at: 'rcpt', reply: '421 no more for <other@example.org>', next: 'close' }, ['unsent', '421 no more for <[address]>']],
  ];
  for (const [rule, kept] of cases) {
    it(`is kept without the address: ${rule.reply}`, async () => {
      const sink = await opened.sink({ rules: [rule] });
      const env = readEnv({ SEND_ONLY_TO: '' });
      const relay = openRelay({ env, pool: null as never, log: pino({ enabled: false }) }, opened.relay(sink.url, { connections: 1 }));
      const { kind, reply } = await relay.send(mailNumber(1));
      deepEqual([kind, reply], kept);
    });
  }
});
