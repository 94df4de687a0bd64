import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDepth } from '../../../mail/smtp/depth.ts';
import { mailNumber, Opened } from '../../support/relay.ts';

const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, n) => n + from);

describe('how many mails a connection is given at a time', () => {
  const opened = new Opened();
  afterEach(() => opened.end());

  it('grows while the process has no time to spare, falls while it waits, and stays in between', () => {
    let [use, now] = [0.95, 0];
    const depth = createDepth(
      () => use,
      () => now,
    );
    const after = (looks: number) => {
      for (let n = 0; n < looks; n++) {
        now += 50;
        depth();
      }
      return depth();
    };
    assert.deepEqual([depth(), after(1), after(1), after(5)], [1, 2, 4, 32]);
    use = 0.45;
    assert.equal(after(5), 32);
    use = 0.2;
    assert.deepEqual([after(1), after(9)], [16, 1]);
    // Going together left it waiting for the relay: that is not tried again at once.
    use = 0.9;
    assert.deepEqual([after(30), after(10)], [1, 32]);
    // Of a time in which nothing was sent it learns nothing.
    [use, now] = [0.01, now + 60_000];
    assert.equal(depth(), 32);
  });

  for (const chunking of [true, false]) {
    it(`${chunking ? 'BDAT' : 'DATA'}: more of them need fewer connections`, async () => {
      const connectionsAt = async (depth: number, expected: number) => {
        const sink = await opened.sink();
        const relay = opened.relay(sink.url, { connections: 8, chunking, idleMs: 300, depth: () => depth });
        // Kept busy beyond the time after which connections without work are closed, and on where the machine had much else to do meanwhile.
        const wanted = (ms: number) => ms < 1200 || (ms < 60_000 && sink.connections() !== expected);
        for (const began = performance.now(); wanted(performance.now() - began); )
          await Promise.all(numbers(16).map((n) => relay.send(mailNumber(n))));
        return sink.connections();
      };
      assert.deepEqual([await connectionsAt(1, 8), await connectionsAt(8, 2)], [8, 2]);
    });
  }

  it('holds nobody up behind a mail that is not answered, while a connection has nothing to do', async () => {
    const sink = await opened.sink({ rules: [{ at: 'rcpt', match: 'person9@', next: 'stall' }] });
    const relay = opened.relay(sink.url, { connections: 4, timeoutMs: 8000, depth: () => 8 });
    await Promise.all(numbers(4).map((n) => relay.send(mailNumber(n))));
    const [began, stalled] = [performance.now(), relay.send(mailNumber(9))];
    const others = await Promise.all(numbers(7, 10).map((n) => relay.send(mailNumber(n))));
    assert.deepEqual(new Set(others.map(({ kind }) => kind)), new Set(['accepted']));
    assert.ok(performance.now() - began < 4000, `${performance.now() - began} ms`);
    void stalled;
  });

  it('leaves nobody to a connection that is being ended', async () => {
    const sink = await opened.sink({ rules: [{ at: 'quit', next: 'stall' }] });
    let took = Infinity;
    // Again where the machine had much else to do.
    for (let tries = 0; tries < 5 && took >= 500; tries++) {
      let depth = 1;
      const relay = opened.relay(sink.url, { connections: 4, timeoutMs: 8000, idleMs: 1200, depth: () => depth });
      await Promise.all(numbers(3).map((n) => relay.send(mailNumber(n))));
      // By now they were all told that nothing more comes, and have not answered.
      await sleep(1600);
      depth = 8;
      const began = performance.now();
      for (const n of numbers(4, 9)) assert.equal((await relay.send(mailNumber(n))).kind, 'accepted');
      took = performance.now() - began;
    }
    // Left to them, each would wait for the next look at the clock, 300 ms apart.
    assert.ok(took < 500, `${took} ms`);
  });
});
