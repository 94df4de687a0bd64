import { type WholePlatform, wholePlatform } from './whole-platform.ts';

/**
 * A platform whose worker has two places for short work, and a page that confirms each action by mail.
 * @param settings those of the relay the mails go to
 */
export async function confirmingPlatform(settings: { SMTP_URL: string; SMTP_TIMEOUT_MS: string }): Promise<WholePlatform> {
  const platform = await wholePlatform({ ...settings, CAMPAIGN_SLOTS: '2' }, []);
  const followup = { send_email: true, email_subject: 'Thanks', email_body: '<p>Hi</p>' };
  await platform.api.create('signuppage', { name: 'join', followup });
  return platform;
}

/** So many people act there, one after the other. */
export async function actThere({ api }: WholePlatform, people: number): Promise<void> {
  for (let n = 0; n < people; n++) await api.call('POST', '/rest/v1/action/', { page: 'join', email: `person${n}@example.org` });
}

/** Has the first two of them merged. @returns the job, once it is over */
export async function mergeTwo(platform: WholePlatform): Promise<{ status: string }> {
  const { rows } = await platform.api.pool.query<{ id: number }>('select id from core_user order by id limit 2');
  const [primary_user, other] = rows.map(({ id }) => id);
  const wish = { primary_user, users: [other], address_user: primary_user, source_user: primary_user };
  return platform.watch(await platform.post('/rest/v1/usermerge/', wish), ({ status }) => status !== 'pending');
}
