import type { RenderedMail } from '../../core/mailings/rendered-mail.ts';
import { type Html, html } from '../html.ts';

/** The subject of a mail and what inboxes show after it. */
export const inboxLine = ({ subject, preview }: RenderedMail): Html => html`<strong>${subject}</strong> ${preview ? after(preview) : NONE}`;

const after = (preview: string): Html => html`<span class="after-subject">– ${preview}</span>`;

const NONE = html`<small>No preview text: inboxes show how the mail begins.</small>`;
