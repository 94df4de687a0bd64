import { compileMailing, type MailSettings } from '../../mail/compile.ts';
import type { Mail } from '../../mail/contracts.ts';
import type { TestApi } from './api.ts';

let people = 0;

/** Somebody on a list, and a mail to them from a mailing, as it went out. */
export async function subscriberWithMail(api: TestApi, list: string, mailingId: number): Promise<{ uri: string; mail: Mail }> {
  const email = `subscriber${++people}@example.org`;
  const uri = await api.create('user', { email });
  await api.create('subscription', { user: uri, list });
  const settings = { baseUrl: api.env.BASE_URL, mailDomain: api.env.MAIL_DOMAIN, secretKey: api.env.SECRET_KEY };
  return { uri, mail: mailFrom(mailingId, { user_id: Number(uri.match(/(\d+)\/$/)![1]), email }, settings) };
}

/** A mail of a mailing that says hello, as the relay gets it. */
export function mailFrom(mailingId: number, person: { user_id: number; email: string }, settings: MailSettings): Mail {
  const content = {
    mailingId,
    subjects: ['Hello'],
    previewTexts: [],
    html: '<p>Hi</p>',
    text: '',
    from: 'a@example.org',
    replyTo: '',
    wrapper: null,
    fields: {},
    language: '',
    pretendDate: null,
  };
  return compileMailing(content, settings).render({ ...person, position: 0 });
}
