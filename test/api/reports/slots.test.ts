import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { MOST_WAITING, Slots } from '../../../api/slots.ts';

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

  it('have so many waiting for them at most: one more, and who has most of them is told to come again', async () => {
    const slots = new Slots(1, 5_000, 'reports are running');
    const release = await slots.take(1, never);
    const gone = new AbortController();
    const refused: number[] = [];
    const ask = (account: number) =>
      slots.take(account, gone.signal).catch((error: Error) => {
        if (/^Too many reports are running/.test(error.message)) refused.push(account);
      });
    const all = Array.from({ length: MOST_WAITING - 1 }, () => ask(1));
    all.push(ask(2));
    await turn();
    assert.deepEqual(refused, []);
    all.push(ask(1), ask(3), ask(2), ask(1));
    await turn();
    assert.deepEqual(refused, [1, 1, 1, 1]);
    gone.abort(new Error('hung up'));
    await Promise.all(all);
    release();
    (await slots.take(3, never))();
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
