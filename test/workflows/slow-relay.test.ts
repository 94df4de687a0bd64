import { equal } from 'node:assert/strict';
import { actThere, confirmingPlatform, mergeTwo } from '../support/confirming.ts';
import { Opened, slowServer } from '../support/relay.ts';
import type { WholePlatform } from '../support/whole-platform.ts';

/** Ten minutes' worth of mails, of which a worker of two places has two on the way. */
const ACTED = 100;
const TAKES_MS = 12_000;

describe('a relay that takes its time over each mail', () => {
  const opened = new Opened();
  let platform: WholePlatform;
  let taken = 0;

  before(async () => {
    const url = await slowServer(opened, TAKES_MS, () => taken++);
    platform = await confirmingPlatform({ SMTP_URL: url, SMTP_TIMEOUT_MS: '60000' });
  });
  after(async () => {
    await platform?.close();
    await opened.end();
  });

  it('keeps mails waiting, and nothing else, however many there are', async () => {
    await actThere(platform, ACTED);
    equal((await mergeTwo(platform)).status, 'complete');
    // Mails go on meanwhile, one at a time where two places are all there are.
    const before = taken;
    equal(before < ACTED / 2, true, `${before} of ${ACTED} had gone out when it was over`);
    while (taken < before + 2) await new Promise((resolve) => setTimeout(resolve, 100));
  });
});
