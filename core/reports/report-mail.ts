import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Env } from '../../config/env.ts';
import type { Mail } from '../../mail/contracts.ts';
import { composePlainMail } from '../../mail/plain-mail.ts';

/** Larger results are linked to only: relays refuse them. */
const LARGEST_ATTACHMENT = 5 * 1024 * 1024;

interface ReportMail {
  jobId: number;
  /** Of the task. */
  name: string;
  index: number;
  short_name: string;
  format: string;
  email: string;
  rows: number;
}

/** The mail that brings a result: as an attachment, or as a link when it is too large. Each address gets a Message-ID that stays the same. */
export async function composeReportMail(
  { jobId, name, index, short_name: report, format, email, rows }: ReportMail,
  file: { content: Readable; bytes: number } | null,
  env: Pick<Env, 'BASE_URL' | 'MAIL_DOMAIN' | 'DEFAULT_FROM'>,
): Promise<Mail> {
  const attached = file !== null && file.bytes <= LARGEST_ATTACHMENT;
  if (file && !attached) file.content.destroy();
  const where = attached
    ? 'The result is attached.'
    : file
      ? 'The result is too large for a mail.'
      : 'The result could not be attached: its file is not where the worker looks that wrote this mail (REPORT_FILES).';
  return composePlainMail(
    {
      from: env.DEFAULT_FROM,
      to: email,
      subject: `Report ${report}`,
      messageId: `report-${name}-${index}@${env.MAIL_DOMAIN}`,
      text: `${where} It has ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}, and can be downloaded with your account for this service:\n${env.BASE_URL}/rest/v1/report/download/${jobId}/\n`,
      ...(attached && { attachments: [{ filename: `${report}.${format}`, content: await buffer(file.content) }] }),
    },
    env.MAIL_DOMAIN,
  );
}
