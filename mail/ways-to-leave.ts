import { withoutHtmlComments } from '../domain/html-comments.ts';
import { mentionsOf } from '../template/mentions.ts';
import type { MailingContent, Snippet, WayToLeave } from './contracts.ts';
import { plainTextOf } from './plain-text.ts';
import { shownIn, type Version } from './shown-in.ts';

// Whether the versions of a mail show a link to leave by: one made by us, or by hand around the akid.

const OUR_LINK = /\bunsubscribe_(link|url)\b/i;
const AKID = /\{\{\s*(user\.)?akid\b/gi;
/** What stands right before an akid when it unsubscribes. Looked for from each akid: from each `unsubscribe` on, the same text would be read many times. */
const UNSUBSCRIBES = /unsubscribe[^\s"'<>]*$/i;
const LONGEST_LINK = 250;

function madeByHand(source: string): boolean {
  let looked = 0;
  for (const { index } of source.matchAll(AKID)) {
    if (UNSUBSCRIBES.test(source.slice(Math.max(looked, index - LONGEST_LINK), index))) return true;
    looked = Math.max(0, index - 'unsubscribe'.length);
  }
  return false;
}

/** How a version that is made of these sources shows a link: not in a comment of either language, but maybe in a snippet that is included. */
export function wayToLeave(
  version: Version,
  sources: string[],
  snippets: MailingContent['snippets'] = {},
  seen = new Set<string>(),
): WayToLeave {
  let way: WayToLeave = false;
  for (const source of sources) {
    const shown = shownIn(version, source);
    if (madeByHand(shown)) return true;
    if (OUR_LINK.test(shown)) way = 'ours';
    const included = mentionsOf('include', shown).filter((name) => Object.hasOwn(snippets, name) && !seen.has(name));
    for (const name of included) seen.add(name);
    const further = included.map((name) => sourceOf(snippets[name]!, version));
    const inside = further.length > 0 && wayToLeave(version, further, snippets, seen);
    if (inside === true) return true;
    way ||= inside;
  }
  return way;
}

const sourceOf = ({ html, text }: Snippet, version: Version) => (version === 'html' ? html : text || withoutHtmlComments(html));

/** Of a content as it was written. Behind the number of a tracked link nobody sees what it is. @throws RangeError, Problem as `plainTextOf` does */
export function waysToLeave({ html, text, wrapper, snippets }: MailingContent): Record<Version, WayToLeave> {
  const texts = [text || plainTextOf(html), wrapper ? wrapper.textTemplate || plainTextOf(wrapper.template) : ''];
  return { html: wayToLeave('html', [html, wrapper?.template ?? ''], snippets), text: wayToLeave('text', texts, snippets) };
}
