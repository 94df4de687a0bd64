import { equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withLittleRoom } from '../../activities/little-room.ts';

/** Bytes a thread that begins now may take, what is new there among them. */
async function most(): Promise<number> {
  const said = `require('node:worker_threads').parentPort.postMessage(require('node:v8').getHeapStatistics().heap_size_limit)`;
  const [bytes] = await once(new Worker(said, { eval: true }), 'message');
  return bytes as number;
}

describe('The room of threads for what is new', () => {
  it('is little for those that begin meanwhile, and as before for those after, also where they could not begin', async () => {
    const usual = await most();
    ok((await withLittleRoom(most)) < usual);
    await withLittleRoom(() => Promise.reject(new Error('no'))).catch(() => {});
    equal(await most(), usual);
  });
});
