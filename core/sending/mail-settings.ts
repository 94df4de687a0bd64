import type { Env } from '../../config/env.ts';
import type { MailSettings } from '../../mail/compile.ts';

/** What of the settings stands in mails. */
export const mailSettings = (env: Pick<Env, 'BASE_URL' | 'MAIL_DOMAIN' | 'SECRET_KEY'>): MailSettings => ({
  baseUrl: env.BASE_URL,
  mailDomain: env.MAIL_DOMAIN,
  secretKey: env.SECRET_KEY,
});
