import assert from 'node:assert/strict';
import { Slots } from '../../../api/slots.ts';

describe('slots of reports', () => {
  const never = new AbortController().signal;

  it('go to one account by half at most, however many it asks for', async () => {
    const slots = new Slots(4, 20, 'reports are running');
    const held = [await slots.take(1, never), await slots.take(1, never)];
    await assert.rejects(slots.take(1, never), /this account has its 2 already/);
    held.push(await slots.take(2, never), await slots.take(3, never));
    await assert.rejects(slots.take(4, never), /Too many reports are running; try again/);
    for (const release of held) release();
    await slots.take(4, never);
  });

  it('are one for everybody where there is but one, and come round by account', async () => {
    const slots = new Slots(1, 5_000, 'reports are running');
    const order: string[] = [];
    const ask = async (account: number, what: string) => {
      const release = await slots.take(account, never);
      order.push(what);
      await new Promise((resolve) => setTimeout(resolve, 2));
      release();
      release();
    };
    const many = Array.from({ length: 5 }, (_, n) => ask(1, `a${n}`));
    const few = [ask(2, 'b0'), ask(3, 'c0'), ask(2, 'b1')];
    await Promise.all([...many, ...few]);
    assert.deepEqual(order, ['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3', 'a4']);
  });

  it('are left alone by who no longer waits', async () => {
    const slots = new Slots(1, 5_000, 'reports are running');
    const release = await slots.take(1, never);
    const gone = new AbortController();
    const waiting = slots.take(2, gone.signal);
    gone.abort(new Error('hung up'));
    await assert.rejects(waiting, /hung up/);
    release();
    (await slots.take(3, never))();
  });
});
