import { equal } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { actThere, confirmingPlatform, mergeTwo } from '../support/confirming.ts';
import { Opened } from '../support/relay.ts';
import type { WholePlatform } from '../support/whole-platform.ts';

/** More mails than would be tried one after the other within the pauses between the tries of each. */
const ACTED = 150;

describe('a relay that takes connections and says nothing', () => {
  const opened = new Opened();
  let platform: WholePlatform;

  before(async () => {
    platform = await confirmingPlatform({ SMTP_URL: await opened.server(() => undefined), SMTP_TIMEOUT_MS: '8000' });
  });
  after(async () => {
    await platform?.close();
    await opened.end();
  });

  it('keeps nothing else waiting, however many confirmations wait for it', async () => {
    await actThere(platform, ACTED);
    // The first try takes as long as a step may; it is known then.
    await sleep(12_000);
    equal((await mergeTwo(platform)).status, 'complete');
  });
});
