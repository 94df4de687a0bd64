import { InputError } from '../../domain/errors.ts';
import { idsOf, membersOf, type Sent, textOf, textsOf } from '../fields.ts';
import type { MailingDocument } from '../mailings/mailing-document.ts';
import { versionOf } from '../version.ts';

// What the form of a mailing holds, of the mailing as it is stored, and as the API takes it.

/** What the form holds, as text. */
export interface Draft {
  subjects: { text: string; preview: string }[];
  from: string;
  replyTo: string;
  wrapper: string;
  language: string;
  landingPage: string;
  html: string;
  text: string;
  tags: string;
  notes: string;
  webViewable: boolean;
}

/** What the form needs of a mailing beyond what other pages do. */
export interface Content extends MailingDocument {
  html: string;
  text: string;
  emailwrapper: string | null;
  landing_page: string | null;
}

export const EMPTY: Draft = {
  subjects: [],
  from: '',
  replyTo: '',
  wrapper: '',
  language: '',
  landingPage: '',
  html: '',
  text: '',
  tags: '',
  notes: '',
  webViewable: true,
};

const idIn = (uri: string | null): string => /\/(\d+)\/$/.exec(uri ?? '')?.[1] ?? '';

export function draftFrom(mailing: Content): Draft {
  return {
    subjects: mailing.subjects.map((text, n) => ({ text, preview: mailing.preview_text[n] ?? '' })),
    from: mailing.custom_fromline || mailing.fromline || '',
    replyTo: mailing.reply_to,
    wrapper: idIn(mailing.emailwrapper),
    language: idIn(mailing.lang),
    landingPage: idIn(mailing.landing_page),
    html: mailing.html,
    text: mailing.text,
    tags: mailing.tags.join(', '),
    notes: mailing.notes,
    webViewable: mailing.web_viewable,
  };
}

/** Another one whenever something the form shows has changed. */
export const draftVersion = (mailing: Content): string => versionOf(draftFrom(mailing));

export function draftOf(sent: Sent): Draft {
  const [subjects, previews] = [textsOf(sent, 'subject'), textsOf(sent, 'preview_text')];
  return {
    subjects: subjects
      .map((text, n) => ({ text: text.trim(), preview: previews[n]?.trim() ?? '' }))
      .filter(({ text, preview }) => text || preview),
    from: textOf(sent, 'from').trim(),
    replyTo: textOf(sent, 'reply_to').trim(),
    wrapper: String(idsOf(sent, 'emailwrapper')[0] ?? ''),
    language: String(idsOf(sent, 'lang')[0] ?? ''),
    landingPage: String(idsOf(sent, 'landing_page')[0] ?? ''),
    html: textOf(sent, 'html'),
    text: textOf(sent, 'text'),
    tags: textOf(sent, 'tags'),
    notes: textOf(sent, 'notes'),
    webViewable: sent['web_viewable'] === '1',
  };
}

/** The tags that were typed. */
export const tagsIn = (text: string): string[] => membersOf(text, /,/);

/** Which row has a preview text and no subject that it could stand behind; -1 where none has. */
export const loneIn = ({ subjects }: Draft): number => subjects.findIndex(({ text }) => !text);

/** The form as the API takes it. @throws InputError where a preview text would be lost */
export function bodyOf(draft: Draft): Record<string, unknown> {
  if (loneIn(draft) >= 0) throw new InputError({ preview_text: 'A preview text stands beside no subject: write one there, or empty it.' });
  const number = (id: string) => (id ? Number(id) : null);
  return {
    subjects: draft.subjects.map(({ text }) => text),
    preview_text: draft.subjects.map(({ preview }) => preview),
    custom_fromline: draft.from,
    reply_to: draft.replyTo,
    emailwrapper: number(draft.wrapper),
    lang: number(draft.language),
    landing_page: number(draft.landingPage),
    html: draft.html,
    text: draft.text,
    tags: tagsIn(draft.tags),
    notes: draft.notes,
    web_viewable: draft.webViewable,
  };
}
