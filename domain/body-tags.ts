// Where the body of an HTML document begins and ends. Tags in comments count for nothing: `<!--[if mso]><body><![endif]-->` is for Outlook alone, and nobody else sees what is put into it.

/** Where the body begins; 0 where there is no tag of it. */
export function bodyBegins(html: string): number {
  const [body] = places(html, /<!--|<body\b/gi);
  return body === undefined ? 0 : html.indexOf('>', body) + 1;
}

/** Where the last closing tag of a body begins; the end where there is none. Not found by a copy in lower case: `İ` is longer there, and places are others. */
export const endOfBody = (html: string): number => places(html, /<!--|<\/body\b/gi).at(-1) ?? html.length;

/** HTML without its comments: what all readers show. One that is not closed is none here either. */
export function withoutHtmlComments(html: string): string {
  const lastClose = html.lastIndexOf('-->');
  let [kept, from] = ['', 0];
  for (let open = html.indexOf('<!--'); open >= 0 && open + 2 <= lastClose; open = html.indexOf('<!--', from)) {
    kept += html.slice(from, open);
    from = html.indexOf('-->', open + 2) + 3;
  }
  return kept + html.slice(from);
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
