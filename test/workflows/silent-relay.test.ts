import { equal } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Opened } from '../support/relay.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

/** More mails than would be tried one after the other within the pauses between the tries of each. */
const ACTED = 150;

describe('a relay that takes connections and says nothing', () => {
  const opened = new Opened();
  let platform: WholePlatform;

  before(async () => {
    const settings = { SMTP_URL: await opened.server(() => undefined), SMTP_TIMEOUT_MS: '8000', CAMPAIGN_SLOTS: '2' };
    platform = await wholePlatform(settings, []);
    const followup = { send_email: true, email_subject: 'Thanks', email_body: '<p>Hi</p>' };
    await platform.api.create('signuppage', { name: 'join', followup });
  });
  after(async () => {
    await platform?.close();
    await opened.end();
  });

  it('keeps nothing else waiting, however many confirmations wait for it', async () => {
    const { api } = platform;
    for (let n = 0; n < ACTED; n++) await api.call('POST', '/rest/v1/action/', { page: 'join', email: `person${n}@example.org` });
    // The first try takes as long as a step may; it is known then.
    await sleep(12_000);
    const { rows } = await api.pool.query<{ id: number }>('select id from core_user order by id limit 2');
    const [primary_user, other] = rows.map(({ id }) => id);
    const wish = { primary_user, users: [other], address_user: primary_user, source_user: primary_user };
    const merge = platform.watch(await platform.post('/rest/v1/usermerge/', wish), ({ status }) => status !== 'pending');
    const late = sleep(90_000, { status: 'pending' }, { ref: false });
    equal((await Promise.race([merge, late])).status, 'complete');
  });
});
