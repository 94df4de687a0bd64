import { deepEqual, equal, ok } from 'node:assert/strict';
import { basic } from '../support/api.ts';
import { mergeTwo } from '../support/confirming.ts';
import { Opened, slowServer } from '../support/relay.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

/** Of each request: four minutes' worth of mails. A worker has two places for short work. */
const PROOFS = 20;
const REQUESTS = 3;
/** Of one account: more than a worker sends at a time. */
const MANY = 12;
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

  const body = { proofs: PROOFS, reviewers: ['reviewer@example.org'] };
  let mailing: string;

  it('keep nothing else waiting', async () => {
    const includes = { lists: ['News'] };
    mailing = await platform.ready({ subjects: ['Hello'], html: '<p>Hi</p>', fromline: 'a@example.org', includes });
    const asked: string[] = [];
    for (let n = 0; n < REQUESTS; n++) asked.push(await platform.post(`${mailing}proofs/`, body));
    for (const uri of asked.slice(0, 2)) await platform.watch(uri, ({ started_at }) => started_at !== null);
    equal((await mergeTwo(platform)).status, 'complete');
    deepEqual(await Promise.all(asked.map(async (uri) => (await platform.api.read(uri)).finished)), [false, false, false]);
  });

  it('keep those of another account not waiting, however many somebody asks for', async () => {
    const { api } = platform;
    const colleague = { username: 'colleague', password: 'long-enough-password' };
    await api.create('authuser', { ...colleague, is_superuser: true });
    const asked: string[] = [];
    for (let n = 0; n < MANY; n++) asked.push(await platform.post(`${mailing}proofs/`, body));
    const reads = () => Promise.all(asked.map((uri) => api.read(uri)));
    await platform.watch(asked.at(-1)!, ({ started_at, pause }) => started_at !== null || pause !== null);
    const { headers } = await api.call('POST', `${mailing}proofs/`, body, { authorization: basic(colleague) });
    await platform.watch(String(headers.location).slice(api.env.BASE_URL.length), ({ started_at }) => started_at !== null);
    const all = await reads();
    deepEqual(new Set(all.map(({ finished }) => finished)), new Set([false]));
    ok(all.some(({ pause }) => pause?.reason === 'other proofs that the account asked for are being sent'));
  });
});
