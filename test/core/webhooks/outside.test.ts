import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookupOutside } from '../../../core/webhooks/outside.ts';
import { ask } from '../../../core/webhooks/post.ts';

describe('names of addresses of others', () => {
  const { lookup } = dns;
  /** Name servers that say nothing until the test has them: how each look-up under way ends. */
  const silent: (() => void)[] = [];
  let lookedUp: string[] = [];
  beforeEach(() => {
    lookedUp = [];
  });
  before(() => {
    dns.lookup = ((host: string, _options: object, callback: (error: null, found: object[]) => void) => {
      lookedUp.push(host);
      silent.push(() => callback(null, [{ address: host === 'inside.example' ? '10.0.0.1' : '8.8.8.8', family: 4 }]));
    }) as unknown as typeof dns.lookup;
    syncBuiltinESMExports();
  });
  after(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  });

  it('take half of the threads for looking up at most, however many name servers are silent, and all get their turn', () => {
    const found: string[] = [];
    for (let n = 0; n < 40; n++) lookupOutside()(`h${n}.example`, {}, (_error, address) => found.push(String(address)));
    for (let ended = 0; ended < 40; ended++) {
      assert.equal(silent.length, Math.min(2, 40 - ended));
      silent.shift()!();
      assert.equal(found.length, ended + 1);
    }
    assert.deepEqual(new Set(found), new Set(['8.8.8.8']));
  });

  it('that were found soon before are looked up beside others, whose name servers are silent', () => {
    const found: string[] = [];
    const look = (host: string) => lookupOutside()(host, {}, () => found.push(host));
    look('soon.example');
    silent.shift()!();
    const others = ['silent.example', 'mute.example', 'late.example'];
    for (const host of [...others, 'soon.example']) look(host);
    silent.pop()!();
    assert.deepEqual(found, ['soon.example', 'soon.example']);
    assert.equal(silent.length, 2);
    for (let ended = 0; ended < 3; ended++) silent.shift()!();
    assert.deepEqual(found.slice(2), others);
  });

  it('are not looked up any more for who has given up: others would wait for each of them in vain', async () => {
    const given = { method: 'GET', headers: {}, refusedFrom: 400 } as const;
    const gone = Array.from({ length: 10 }, (_, n) =>
      ask(new URL(`http://silent${n}.example/`), { ...given, patienceMs: 50 }, { anywhere: false }),
    );
    assert.deepEqual(new Set((await Promise.all(gone)).map(({ error }) => error)), new Set(['no answer within 0.05 s']));
    // They hold their threads until the system gives up.
    assert.deepEqual(lookedUp, ['silent0.example', 'silent1.example']);
    const other = ask(new URL('http://inside.example/'), { ...given, patienceMs: 5_000 }, { anywhere: false });
    await sleep(10);
    silent.shift()!();
    assert.deepEqual(lookedUp, ['silent0.example', 'silent1.example', 'inside.example']);
    for (const end of silent.splice(0)) end();
    assert.equal((await other).error, 'inside.example is an address of this network');
  });
});
