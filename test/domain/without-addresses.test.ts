import { equal, ok } from 'node:assert/strict';
import { withoutAddress, withoutAddresses } from '../../domain/without-addresses.ts';
import { processorMs } from '../support/processor-time.ts';

describe('a text without addresses', () => {
  const CASES: [string, string][] = [
    ['550 5.1.1 <ann@example.org>: Recipient address rejected', '550 5.1.1 <[address]>: Recipient address rejected'],
    ["550 no mailbox ann.o'brien+x@example.org here", '550 no mailbox [address] here'],
    ['Key (email)=(ann@example.org) already exists.', 'Key (email)=([address]) already exists.'],
    ['GET https://crm.example/contact?email=ann%40example.org failed', 'GET [address] failed'],
    ['to="ann smith"@example.org, bob@example.org', '[address], [address]'],
    [
      'é@exämple.org ann＠example.org ann&#64;example.org rfc822;ann+40example.org',
      '[address] [address] [address];example.org rfc822;[address]',
    ],
    ['451 4.7.1 greylisted, try again in 5 minutes', '451 4.7.1 greylisted, try again in 5 minutes'],
  ];

  it('has none of the ways in which relays, CRMs and the database write them', () => {
    for (const [text, expected] of CASES) equal(withoutAddresses(text), expected);
  });

  it('takes time in proportion to its length', () => {
    for (const piece of ['a', '@', '"', '"@', 'a@', '" ', '<', '%40', '&#0']) {
      const ms = processorMs(() => withoutAddresses(`${piece.repeat(200_000)}@`));
      ok(ms < 1000, `${piece}: ${ms} ms`);
    }
  });
});

describe('words about one address', () => {
  const CASES: [address: string, words: string, expected: string][] = [
    ['bob@secret.example', '550 5.1.1 <bob@secret.example>: User unknown in table', '550 5.1.1 <…>: User unknown in table'],
    ['Bob.B@secret.example', '550 bob.b@SECRET.example: ask postmaster@relay.example', '550 …: ask postmaster@relay.example'],
    ['bob@secret.example', '550 rfc822;bob+40secret.example, bob%40secret.example', '550 rfc822;…, …'],
    ['bob@secret.example', '550 <bob>... User unknown; <bob@inside.example>: no bob here', '550 <…>... User unknown; <…>: no bob here'],
    ["o'b+x{1}|$@s-x.example", "550 <o'b+x{1}|$@s-x.example> o'b+x{1}|$@s-x.example", '550 <…> …'],
    ['a@b.example', '451 4.7.1 greylisted, aXb.example', '451 4.7.1 greylisted, aXb.example'],
  ];

  it('stay without it', () => {
    for (const [address, words, expected] of CASES) equal(withoutAddress(address, words), expected);
  });
});
