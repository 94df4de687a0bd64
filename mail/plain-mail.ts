import { usableAddress } from './address.ts';
import type { Mail } from './contracts.ts';

/** A mail of plain text to one address, with files if need be. */
export interface PlainMail {
  from: string;
  to: string;
  subject: string;
  /** Without angle brackets. */
  messageId: string;
  text: string;
  attachments?: { filename: string; content: Buffer }[];
}

/** @param mailDomain domain of the bounce address */
export async function composePlainMail({ to: given, messageId, attachments = [], ...more }: PlainMail, mailDomain: string): Promise<Mail> {
  // What cannot be used the relay refuses, and says why.
  const to = usableAddress(given) ?? given;
  // Loaded when the first one is written: most workers never write any.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const message = await new MailComposer({
    ...more,
    to: { name: '', address: to },
    messageId: `<${messageId}>`,
    // No line of base64 begins with a dot.
    textEncoding: 'base64',
    attachments: attachments.map((file) => ({ ...file, encoding: 'base64' })),
  })
    .compile()
    .build();
  const text = message.toString('latin1');
  return { envelopeFrom: `bounce@${mailDomain}`, envelopeTo: to, message: text.endsWith('\r\n') ? text : `${text}\r\n` };
}
