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
