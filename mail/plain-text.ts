import { compile } from 'html-to-text';
import { withoutNotes } from '../template/comments.ts';

// The text version, made from the HTML template once and not from each mail: template tags are put aside as marks that HTML does not know,
// and put back afterwards.

/** Characters no text uses: the first says a block tag or a value, then a number, then the end. */
const [BLOCK, VALUE, END] = ['\uE000', '\uE001', '\uE002'];
const MARKS = new RegExp(`[${BLOCK}${VALUE}](\\d+)${END}`, 'g');
/** A line that holds nothing but block tags: it would leave an empty line in each mail. */
const ONLY_BLOCKS = new RegExp(`^((?:[ \\t]*${BLOCK}\\d+${END})+)[ \\t]*\\n+`, 'gm');

/** No tag is nearly as long, and an opening mark that is none must not be looked after to the end. */
const TAG = /\{%.{0,2000}?%\}|\{\{.{0,2000}?\}\}/gs;

/** Tags that show something where they stand. */
const SHOWS = /^\{%-?\s*(?:include|firstof|now|report(?!.*\sas\s))\b/s;

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const toText = compile({
  wordwrap: 78,
  limits: { maxDepth: 200 },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** Longest HTML taken, without pictures it carries inside: the parser's time grows with the square of what is never closed. */
const LONGEST = 250_000;

/**
 * The template of the text version: words, links and template tags of an HTML template.
 * @throws RangeError when the HTML is too long
 */
export function plainTextOf(html: string): string {
  const tags: string[] = [];
  const words = withoutNotes(html).replace(/[\uE000-\uE002]|\bdata:[a-z]+\/[\w+;.,=-]+[\w+/=%]*/gi, '');
  if (words.length > LONGEST) throw new RangeError(`a text version cannot be made from more than ${LONGEST} characters of HTML`);
  const marked = words.replace(TAG, (tag) => `${tag[1] === '%' && !SHOWS.test(tag) ? BLOCK : VALUE}${tags.push(tag) - 1}${END}`);
  return toText(marked)
    .replace(ONLY_BLOCKS, '$1')
    .replace(MARKS, (_mark, n: string) => tags[Number(n)] ?? '');
}
