import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { lookupOutside } from '../../../core/webhooks/outside.ts';

describe('names of addresses of others', () => {
  const { lookup } = dns;
  /** Name servers that say nothing until the test has them: how each look-up under way ends. */
  const silent: (() => void)[] = [];
  before(() => {
    dns.lookup = ((_host: string, _options: object, callback: (error: null, found: object[]) => void) => {
      silent.push(() => callback(null, [{ address: '8.8.8.8', family: 4 }]));
    }) as unknown as typeof dns.lookup;
    syncBuiltinESMExports();
  });
  after(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  });

  it('take half of the threads for looking up at most, however many name servers are silent, and all get their turn', () => {
    const found: string[] = [];
    for (let n = 0; n < 40; n++) lookupOutside(`h${n}.example`, {}, (_error, address) => found.push(String(address)));
    for (let ended = 0; ended < 40; ended++) {
      assert.equal(silent.length, Math.min(2, 40 - ended));
      silent.shift()!();
      assert.equal(found.length, ended + 1);
    }
    assert.deepEqual(new Set(found), new Set(['8.8.8.8']));
  });
});
