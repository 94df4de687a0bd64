import { deepEqual, equal } from 'node:assert/strict';
import { mergeTwo } from '../support/confirming.ts';
import { Opened, slowServer } from '../support/relay.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

/** Of each request: four minutes' worth of mails. A worker has two places for short work. */
const PROOFS = 20;
const REQUESTS = 3;
const people = Array.from({ length: PROOFS }, (_, n) => `person${n}@example.org`);

describe('proofs that a relay takes its time over', () => {
  const opened = new Opened();
  let platform: WholePlatform;

  before(async () => {
    const SMTP_URL = await slowServer(opened, 12_000);
    platform = await wholePlatform({ SMTP_URL, SMTP_TIMEOUT_MS: '60000', CAMPAIGN_SLOTS: '2' }, people);
  });
  after(async () => {
    await platform?.close();
    await opened.end();
  });

  it('keep nothing else waiting', async () => {
    const includes = { lists: ['News'] };
    const mailing = await platform.ready({ subjects: ['Hello'], html: '<p>Hi</p>', fromline: 'a@example.org', includes });
    const asked: string[] = [];
    for (let n = 0; n < REQUESTS; n++)
      asked.push(await platform.post(`${mailing}proofs/`, { proofs: PROOFS, reviewers: ['reviewer@example.org'] }));
    for (const uri of asked.slice(0, 2)) await platform.watch(uri, ({ started_at }) => started_at !== null);
    equal((await mergeTwo(platform)).status, 'complete');
    deepEqual(await Promise.all(asked.map(async (uri) => (await platform.api.read(uri)).finished)), [false, false, false]);
  });
});
