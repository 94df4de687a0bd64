import { compileMailing } from '../../mail/compile.ts';
import type { Mail } from '../../mail/contracts.ts';
import type { TestApi } from './api.ts';

let people = 0;

/** Somebody on a list, and a mail to them from a mailing, as it went out. */
export async function subscriberWithMail(api: TestApi, list: string, mailingId: number): Promise<{ uri: string; mail: Mail }> {
  const email = `subscriber${++people}@example.org`;
  const uri = await api.create('user', { email });
  await api.create('subscription', { user: uri, list });
  const compiled = compileMailing(
    {
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
    },
    { baseUrl: api.env.BASE_URL, mailDomain: api.env.MAIL_DOMAIN, secretKey: api.env.SECRET_KEY },
  );
  return { uri, mail: compiled.render({ user_id: Number(uri.match(/(\d+)\/$/)![1]), position: 0, email }) };
}
