import { bodiesOf, putIn } from '../domain/body-tags.ts';
import type { Template } from '../template/contracts.ts';
import { escapeHtml, type Output } from '../template/output.ts';
import { oneOf } from '../template/template.ts';
import type { ByteSink } from './byte-sink.ts';
import type { MailingContent } from './contracts.ts';
import { hiddenPreview } from './preview-text.ts';
import { quotedHtml, quotedText } from './quoted-printable.ts';
import { shownIn, type Version } from './shown-in.ts';
import type { Moment } from './variables.ts';
import { wayToLeave } from './ways-to-leave.ts';

// The two bodies of a mail: content inside its wrapper, the preview text hidden in front, an unsubscribe link at the end where none is.

/** A body, or a part of one. */
export type Body = Template<Moment, ByteSink>;

type Snippets = MailingContent['snippets'];

/** `generated`: the text version made from the HTML. */
export type Part = 'html' | 'text' | 'generated' | 'previewTexts' | 'wrapper';

/** Compiles one source; what is wrong with it is noted under the part it belongs to. */
export type CompilePart = (part: Part, source: string, output: Output<ByteSink>, inserts?: Record<string, Body>) => Body;

const PLACE = /\{\{\s*content\s*(\|\s*safe\s*)?\}\}/;
const DEFAULT_FOOTER = {
  html: '<p style="font-size:12px"><a href="{{ unsubscribe_link }}">Unsubscribe</a></p>',
  text: '\n\n-- \nUnsubscribe: {{ unsubscribe_link }}\n',
};
const PREVIEW = hiddenPreview('{{ _preview }}');

/** A preview text is plain text that stands in HTML. */
const quotedPreview: Output<ByteSink> = { ...quotedHtml, literal: (text) => quotedHtml.literal(escapeHtml(text)) };

/** Whether a wrapper's template says where the content goes. */
export const hasPlace = (version: Version, template: string) => PLACE.test(shownIn(version, template));

export function htmlBody(content: MailingContent, unsubscribeBase: string, compile: CompilePart): Body {
  const link = noted(compile('html', `${unsubscribeBase}{{ akid }}`, quotedHtml), true);
  const links = { unsubscribe_link: link, unsubscribe_url: link };
  const { html, wrapper, snippets } = content;
  const way = content.waysToLeave?.html ?? wayToLeave('html', [html, wrapper?.template ?? ''], snippets);
  const nothing = compile('wrapper', '', quotedHtml);
  const footer = () => {
    const as = (source: string, inserts = {}) => compile('wrapper', source, quotedHtml, { ...links, ...inserts });
    return once(withLink('html', wrapper?.unsubscribeHtml ?? '', as, snippets), nothing, way === 'ours');
  };
  const around = {
    ...links,
    _footer: way === true ? nothing : footer(),
    _preview: previewOf(content, compile),
  };
  const preview = content.previewTexts.some(Boolean) ? PREVIEW : '';
  if (!wrapper) return compile('html', embrace(html, preview), quotedHtml, around);
  return compile('wrapper', embrace(wrapper.template, preview), quotedHtml, {
    ...around,
    content: compile('html', html, quotedHtml, links),
  });
}

/**
 * Puts the preview and the footer inside the document's body, on the line that is there, so that lines keep their numbers. At the very end the footer stands for whom no
 * body has shown it.
 */
function embrace(document: string, preview: string): string {
  const opened = putIn(document, bodiesOf(document).begins, preview);
  return `${putIn(opened, bodiesOf(opened).ends, '{{ _footer }}')}{{ _footer }}`;
}

/** Shown where it stands first. @param unlessLink not to those who have been shown a link */
function once(footer: Body, nothing: Body, unlessLink: boolean): Body {
  return oneOf([footer, nothing], (moment) => {
    const chosen = moment.hasFooter || (unlessLink && moment.hasLink) ? 1 : 0;
    moment.hasFooter = true;
    return chosen;
  });
}

/** Notes, as it is shown, whether a link has been. */
const noted = (body: Body, hasLink: boolean): Body =>
  oneOf([body, body], (moment) => {
    moment.hasLink = hasLink;
    return 0;
  });

/** The wrapper's own footer, and a link behind it for whom that has shown none. */
function withLink(version: Version, own: string, as: (source: string, inserts?: Record<string, Body>) => Body, snippets?: Snippets): Body {
  const way = wayToLeave(version, [own], snippets);
  if (way !== 'ours') return as(way ? own : own + DEFAULT_FOOTER[version]);
  const missing = oneOf([as(DEFAULT_FOOTER[version]), as('')], ({ hasLink }) => (hasLink ? 1 : 0));
  // Where it is shown none has been before it, but in a comment.
  return noted(as(`${own}{{ _missing }}`, { _missing: missing }), false);
}

function previewOf({ previewTexts }: MailingContent, compile: CompilePart): Body {
  const texts = (previewTexts.length ? previewTexts : ['']).map((text) => compile('previewTexts', text, quotedPreview));
  return oneOf(texts, (moment) => Math.min(moment.variant, texts.length - 1));
}

/** @param toText makes text of HTML, noting under the part what is wrong with it */
export function textBody(
  content: MailingContent,
  unsubscribeBase: string,
  compile: CompilePart,
  toText: (html: string, part: Part) => string,
): Body {
  const { wrapper, snippets } = content;
  const part = content.text ? 'text' : 'generated';
  const text = content.text || toText(content.html, 'html');
  const outer = wrapper ? wrapper.textTemplate || toText(wrapper.template, 'wrapper') : '{{ content }}';
  const link = noted(compile(part, `${unsubscribeBase}{{ akid }}`, quotedText), true);
  const links = { unsubscribe_link: link, unsubscribe_url: link };
  const own = wrapper ? wrapper.unsubscribeText || toText(wrapper.unsubscribeHtml, 'wrapper') : '';
  const way = content.waysToLeave?.text ?? wayToLeave('text', [text, outer], snippets);
  const as = (source: string, inserts = {}) => compile('wrapper', source, quotedText, { ...links, ...inserts });
  const nothing = as('');
  const footer = way === true ? nothing : withLink('text', own && `\n\n${own}`, as, snippets);
  return compile('wrapper', `${outer}{{ _footer }}`, quotedText, {
    ...links,
    content: compile(part, text, quotedText, links),
    _footer: way === 'ours' ? oneOf([footer, nothing], ({ hasLink }) => (hasLink ? 1 : 0)) : footer,
  });
}
