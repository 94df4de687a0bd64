import { type HtmlTag, tagReader } from './html-tag.ts';

// Where the body of an HTML document begins and ends. Tags in comments count for nothing: `<!--[if mso]><body><![endif]-->` is for Outlook alone, and nobody else sees what is put into it.

/** Where the body begins; 0 where there is no tag of it. */
export function bodyBegins(html: string): number {
  const [body] = places(html, /<!--|<body\b/gi);
  return body === undefined ? 0 : behind(html, tagReader(html)(body));
}

/** A document that is all of a branch: others are for other people. */
const ENDS_BRANCH = /^<\/body\s{0,99}>\s{0,99}(?:<\/html\s{0,99}>\s{0,99})?\{%-?\s{0,99}(?:else|elif|endif)\b/i;

/**
 * Where bodies begin and end in a template: one, with the last closing tag, unless it has a document for each branch of an `{% if %}`. Not found by a copy in lower case:
 * `İ` is longer there, and places are others.
 * @returns in their order, with where what is to stand there belongs: behind the tag that opens, before the one that closes
 */
export function bodiesOf(template: string): { begins: number[]; ends: number[] } {
  const closed = places(template, /<!--|<\/body\b/gi);
  const ends = closed.filter((at, n) => n === closed.length - 1 || ENDS_BRANCH.test(template.slice(at, at + 400)));
  const begins: number[] = [];
  const tagAt = tagReader(template);
  let [next, endOfTag] = [0, -1];
  for (const at of places(template, /<!--|<body\b/gi)) {
    // A second one without an end before it is none, nor is what stands in the tag of one.
    if (at < endOfTag || (begins.length > 0 && !(ends[next]! < at))) continue;
    while (ends[next]! < at) next++;
    const tag = tagAt(at);
    endOfTag = tag.end;
    begins.push(behind(template, tag));
  }
  return { begins: begins.length ? begins : [0], ends: ends.length ? ends : [template.length] };
}

/** 0 where it is not closed. */
const behind = (html: string, { end }: HtmlTag) => (end < html.length ? end + 1 : 0);

/** Puts something in at places. */
export function putIn(text: string, places: readonly number[], piece: string): string {
  return [0, ...places].map((at, n) => text.slice(at, places[n])).join(piece);
}

/** Where a tag stands outside comments. One that is not closed is none: the rest of the document would be it. @param found finds the tag, and comments */
function places(html: string, found: RegExp): number[] {
  const tags: number[] = [];
  const lastClose = html.lastIndexOf('-->');
  let after = 0;
  for (const { index, 0: text } of html.matchAll(found)) {
    if (index < after) continue;
    if (text !== '<!--') tags.push(index);
    // `<!-->` is a whole comment.
    else if (index + 2 <= lastClose) after = html.indexOf('-->', index + 2) + 3;
  }
  return tags;
}
