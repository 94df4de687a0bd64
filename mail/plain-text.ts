import { compile, type FormatCallback } from 'html-to-text';
import { Budget } from '../template/budget.ts';
import { withoutNotes } from '../template/comments.ts';

// The text version, made from the HTML template once and not from each mail: template tags are put aside as marks that HTML does not know,
// and put back afterwards.

/** Characters no text uses: the first says a block tag or a value, then a number, then the end. */
const [BLOCK, VALUE, END] = ['\uE000', '\uE001', '\uE002'];
const MARKS = new RegExp(`[${BLOCK}${VALUE}](\\d+)${END}`, 'g');
/** Lines that hold nothing but block tags: they would leave empty lines in each mail. */
const ONLY_BLOCKS = new RegExp(`(^|(?<!\\n)\\n+)((?:[ \\t]*(?:${BLOCK}\\d+${END}[ \\t]*)+(?:\\n+|$))+)`, 'g');

/** Block tags in a comment of HTML, where editors do not move them about: they mean what they say there, too. */
const IN_COMMENT = new RegExp(`<!--\\s*((?:${BLOCK}\\d+${END}\\s*)+)-->`, 'g');

/** Tags that show something where they stand. */
const SHOWS = /^\{%-?\s*(?:include|firstof|now|report(?!.*\sas\s))\b/s;

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** What moves its lines to the right, as the library calls it. */
const INDENTS: Readonly<Record<string, string>> = { blockquote: 'blockquote', ol: 'orderedList', ul: 'unorderedList' };
/** So many in each other: with more of them a mail would be all indentation, some hundred times as long as its HTML. */
const MOST_INDENTS = 10;
let indents = 0;

const indented: FormatCallback = (element, walk, builder, options) => {
  const { formatters } = (builder as unknown as { options: { formatters: Record<string, FormatCallback> } }).options;
  if (element.name === 'ol') numberSoundly(element.attribs ?? {});
  const format = formatters[indents < MOST_INDENTS ? INDENTS[element.name!]! : 'block']!;
  indents++;
  try {
    format(element, walk, builder, options);
  } finally {
    indents--;
  }
};

/** The library writes any number before each item, and knows no Roman ones of five digits. */
function numberSoundly(attributes: Record<string, string>): void {
  if (!/^-?\d{1,6}$/.test(attributes['start'] ?? '1')) delete attributes['start'];
  if (/^i$/i.test(attributes['type'] ?? '') && !/^\d{1,3}$/.test(attributes['start'] ?? '1')) delete attributes['type'];
}

const toText = compile({
  wordwrap: 78,
  limits: { maxDepth: 200 },
  // All of the document, not its body alone: template tags stand around that, which says which of two it is, or what a name means.
  baseElements: { selectors: [] },
  formatters: {
    indented,
    cell: (cell, walk, builder) => {
      walk(cell.children, builder);
      // White space, of which as much is left as there has to be before the next one.
      builder.addInline(' ');
    },
  },
  selectors: [
    ...['title', 'xml'].map((selector) => ({ selector, format: 'skip' })),
    ...['html', 'body', 'tr'].map((selector) => ({ selector, format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } })),
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    ...Object.keys(INDENTS).map((selector) => ({ selector, format: 'indented' })),
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** Longest HTML taken, without pictures it carries inside. */
const LONGEST = 250_000;

/**
 * The template of the text version: words, links and template tags of an HTML template.
 * @param budget of the templates of the mail it is for: a parser spends its time on elements
 * @throws RangeError when the HTML is too long, Problem when there are too many elements in it
 */
export function plainTextOf(html: string, budget: Budget = new Budget()): string {
  const tags: string[] = [];
  const words = withoutNotes(html).replace(/[\uE000-\uE002]|\bdata:[a-z]+\/[\w+;.,=-]+[\w+/=%]*/gi, '');
  if (words.length > LONGEST) throw new RangeError(`a text version cannot be made from more than ${LONGEST} characters of HTML`);
  budget.makeText(words.match(/<[a-z]/gi)?.length ?? 0);
  const marked = withMarks(words, (tag) => `${tag[1] === '%' && !SHOWS.test(tag) ? BLOCK : VALUE}${tags.push(tag) - 1}${END}`);
  return toText(marked.replace(IN_COMMENT, '$1'))
    .replace(ONLY_BLOCKS, withoutLines)
    .replace(MARKS, (_mark, n: string) => tags[Number(n)] ?? '');
}

/** Leaves the tags alone, and of the line ends behind them those that there are more of than before: what stood inside has its own. */
function withoutLines(_lines: string, before: string, tags: string, at: number): string {
  const most = Math.max(...(tags.match(/\n+|$/g) ?? []).map(({ length }) => length));
  return before + tags.replace(/[ \t\n]+/g, '') + '\n'.repeat(at === 0 && before === '' ? 0 : Math.max(0, most - before.length));
}

/** Puts marks in the place of template tags. Searched for by hand: a pattern looks through all that follows again for each opening mark that is none. */
function withMarks(text: string, mark: (tag: string) => string): string {
  const ends = { '%': nextOf(text, '%}'), '{': nextOf(text, '}}') };
  let [marked, done] = ['', 0];
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const end = ends[text[at + 1] as '%' | '{']?.(at + 2) ?? -1;
    if (end < 0) {
      at++;
      continue;
    }
    marked += text.slice(done, at) + mark(text.slice(at, end + 2));
    at = done = end + 2;
  }
  return marked + text.slice(done);
}

/** Finds where something stands next; to be asked from left to right. */
function nextOf(text: string, sought: string): (from: number) => number {
  let found = 0;
  return (from) => {
    if (found >= 0 && found < from) found = text.indexOf(sought, from);
    return found;
  };
}
