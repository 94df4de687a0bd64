import { akidDigest } from '../domain/akid.ts';
import type { MailSettings } from './compile.ts';
import { compileOnce } from './compile-once.ts';
import type { CompiledMailing, Mail, MailingContent, Recipient } from './contracts.ts';
import { oneLine } from './headers.ts';

/** A mail to one person that belongs to no mailing: its akid and its bounce address name mailing 0, which there is not. */
export interface OneOff {
  compiled: CompiledMailing;
  /** @param name of the mail, which makes its Message-ID its own and the same on every try */
  render(recipient: Recipient, name: string): Mail;
}

/**
 * Compiles a mail of our own to single people: confirmations.
 * @throws InputError with what is wrong with its templates
 */
export function compileOneOff(
  content: Pick<MailingContent, 'from' | 'html' | 'wrapper' | 'language'> & { subject: string },
  settings: MailSettings,
): OneOff {
  const { subject, ...parts } = content;
  const compiled = compileOnce(
    {
      ...parts,
      mailingId: 0,
      subjects: [subject],
      previewTexts: [],
      text: '',
      replyTo: '',
      fields: {},
      pretendDate: null,
      mergefile: null,
      landingPage: null,
    },
    settings,
  );
  const domain = oneLine(settings.mailDomain);
  return {
    compiled,
    render(recipient, name) {
      const mail = compiled.render(recipient);
      const digest = akidDigest(settings.secretKey, `one-off.${name}`).slice(0, 16);
      // Mailings have one mail per person and number them so; here one person gets many.
      const message = mail.message.replace(/^Message-ID: <[^>\r\n]*>/m, `Message-ID: <one-off.${name}.${digest}@${domain}>`);
      return { ...mail, message };
    },
  };
}
