import { compile } from 'html-to-text';

// The text version, made from the HTML template once and not from each mail: template tags are put aside as marks that HTML does not know,
// and put back afterwards.

const MARK = /\uE000(\d+)\uE001/g;
const TAG = /\{%.*?%\}|\{\{.*?\}\}/gs;

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const toText = compile({
  wordwrap: 78,
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The template of the text version: words, links and template tags of an HTML template. */
export function plainTextOf(html: string): string {
  const tags: string[] = [];
  const marked = html
    .replace(/\{#[^\n]*?#\}/g, '')
    .replace(MARK, '')
    .replace(TAG, (tag) => `\uE000${tags.push(tag) - 1}\uE001`);
  const text = toText(marked).replace(MARK, (_mark, n: string) => tags[Number(n)] ?? '');
  // A line that holds nothing but block tags would leave an empty line in each mail.
  return text.replace(/^((?:[ \t]*\{%.*?%\})+)[ \t]*\n+/gm, '$1');
}
