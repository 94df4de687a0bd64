import { bodyBegins } from '../domain/body-tags.ts';

// The preview text of a mail: what inboxes show after the subject. It stands hidden in front of everything else in the HTML.

const [OPENING, END] = ['<div style="display:none;max-height:0;overflow:hidden">', '</div>'];

export const hiddenPreview = (template: string): string => OPENING + template + END;

const CHARACTERS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

/** The preview text of a finished mail, as inboxes show it; empty where it has none. */
export function previewTextIn(html: string): string {
  const begin = bodyBegins(html);
  if (!html.startsWith(OPENING, begin)) return '';
  const end = html.indexOf(END, begin);
  return html
    .slice(begin + OPENING.length, end < 0 ? html.length : end)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(\w+|#\w+);/g, (whole, name: string) => CHARACTERS[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}
