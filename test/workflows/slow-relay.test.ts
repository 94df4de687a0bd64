import { equal } from 'node:assert/strict';
import { Opened } from '../support/relay.ts';
import { type WholePlatform, wholePlatform } from '../support/whole-platform.ts';

/** Ten minutes' worth of mails, of which a worker of two places has two on the way. */
const ACTED = 100;
const TAKES_MS = 12_000;

describe('a relay that takes its time over each mail', () => {
  const opened = new Opened();
  let platform: WholePlatform;
  let taken = 0;

  before(async () => {
    const url = await opened.server((_socket, line) => {
      let isContent = false;
      line('220 slow');
      return (asked) => {
        const ends = isContent && asked === '.';
        if (ends) {
          taken++;
          setTimeout(() => line('250 taken'), TAKES_MS).unref();
        } else if (!isContent) line(asked === 'DATA' ? '354 go on' : '250 so be it');
        isContent = isContent ? !ends : asked === 'DATA';
      };
    });
    platform = await wholePlatform({ SMTP_URL: url, SMTP_TIMEOUT_MS: '60000', CAMPAIGN_SLOTS: '2' }, []);
    const followup = { send_email: true, email_subject: 'Thanks', email_body: '<p>Hi</p>' };
    await platform.api.create('signuppage', { name: 'join', followup });
  });
  after(async () => {
    await platform?.close();
    await opened.end();
  });

  it('keeps mails waiting, and nothing else, however many there are', async () => {
    const { api } = platform;
    for (let n = 0; n < ACTED; n++) await api.call('POST', '/rest/v1/action/', { page: 'join', email: `person${n}@example.org` });
    const { rows } = await api.pool.query<{ id: number }>('select id from core_user order by id limit 2');
    const [primary_user, other] = rows.map(({ id }) => id);
    const wish = { primary_user, users: [other], address_user: primary_user, source_user: primary_user };
    await platform.watch(await platform.post('/rest/v1/usermerge/', wish), ({ status }) => status !== 'pending');
    // Mails go on meanwhile, one at a time where two places are all there are.
    const before = taken;
    equal(before < ACTED / 2, true, `${before} of ${ACTED} had gone out when it was over`);
    while (taken < before + 2) await new Promise((resolve) => setTimeout(resolve, 100));
  });
});
