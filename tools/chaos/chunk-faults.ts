import { setTimeout as sleep } from 'node:timers/promises';
import type { SinkRule } from '../../embedded/sink/rules.ts';
import { type Fault, none, signal, windows } from './scene.ts';

/**
 * Trouble of a relay that takes mails in chunks (BDAT), several on one connection.
 * @param uncertain a window for each connection lost: a worker that has no time to spare puts all of it on one, and has it full again when the next is lost
 */
const chunks = (rules: SinkRule[], ms: number, uncertain: Fault['uncertain']): Fault => ({
  uncertain,
  chunking: true,
  async strike({ stage: { sink } }) {
    sink.setRules(rules);
    await sleep(ms);
    sink.setRules([]);
  },
});

const EVERY_SEVENTH = '7@example\\.org$';

export const CHUNK_FAULTS: Readonly<Record<string, Fault>> = {
  'relay-closes-in-chunk': chunks([{ at: 'content', next: 'close', times: 8 }], 500, windows(8)),
  'relay-closes-before-chunk': chunks([{ at: 'bdat', next: 'close', times: 8 }], 500, windows(8)),
  'relay-closes-between-chunks': chunks([{ at: 'rset', next: 'close', times: 8 }], 500, windows(8)),
  'relay-answers-the-first-chunk': chunks([{ at: 'message', from: 2, next: 'close', keep: true, times: 8 }], 500, windows(8)),
  'relay-silent-in-chunks': chunks([{ at: 'message', from: 2, next: 'stall', times: 4 }], 500, windows(4)),
  'relay-554-in-chunks': chunks([{ at: 'bdat', match: EVERY_SEVENTH, reply: '554 5.7.1 no' }], 700, none),
  'relay-550-in-chunks': chunks([{ at: 'rcpt', match: EVERY_SEVENTH, reply: '550 5.1.1 nobody' }], 700, none),
  // Says goodbye to one, and takes those behind it.
  'relay-421-and-goes-on': chunks(
    [{ at: 'mail', from: 2, match: 'bounce\\+\\d+\\.\\d*7\\.', reply: '421 4.7.0 enough', times: 20 }],
    700,
    none,
  ),
  'relay-500-at-rset': chunks([{ at: 'rset', reply: '500 5.5.1 what?', times: 8 }], 500, windows(8)),
  // Refuses the sender, and takes recipient and content.
  'relay-contradicts-itself': chunks([{ at: 'mail', reply: '451 4.3.0 later', keep: true, times: 40 }], 500, { mails: 40 }),
  // Reads more than the chunk has, the beginning of the next mail with it, and then less.
  'relay-miscounts-chunk': chunks(
    [
      { at: 'bdat', misread: 9, times: 4 },
      { at: 'bdat', misread: -3, times: 4 },
    ],
    500,
    windows(8),
  ),
  'relay-503-at-bdat': {
    uncertain: none,
    chunking: true,
    async strike(scene) {
      const { sink } = scene.stage;
      sink.setRules([{ at: 'bdat', reply: '503 5.5.1 not here', times: 20 }]);
      await sleep(500);
      sink.setRules([]);
      // A worker that has seen this goes on by DATA until it is started again.
      for (const worker of scene.workers) signal(scene, worker, 'SIGTERM');
    },
  },
};
