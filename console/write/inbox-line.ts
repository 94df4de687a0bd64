import type { RenderedMail } from '../../core/mailings/rendered-mail.ts';
import { type Html, html } from '../html.ts';
import { counted } from '../numbers.ts';

/** The subject of a mail and what inboxes show after it. */
export const inboxLine = ({ subject, preview }: RenderedMail): Html => html`<strong>${subject}</strong> ${preview ? after(preview) : NONE}`;

const after = (preview: string): Html => html`<span class="after-subject">– ${preview}</span>`;

const NONE = html`<small>No preview text: inboxes show how the mail begins.</small>`;

/** What a preview does not show of a mail that shows reports. */
export const reportsNote = ({ withoutReports: names }: RenderedMail): Html | '' =>
  names.length
    ? html`<p class="note">${counted(names.length, 'report is', 'reports are')} not read for a preview: nothing stands in the place of ${names.join(', ')} here. A proof shows what is sent.</p>`
    : '';
