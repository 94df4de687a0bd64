// Searched for by hand: a regular expression for a pair looks through all that follows again for each opening mark.

/**
 * A template without its `{# notes #}`. A note ends on the line it begins on, so lines keep their numbers.
 */
export function withoutNotes(source: string): string {
  if (!source.includes('{#')) return source;
  return source.split('\n').map(lineWithoutNotes).join('\n');
}

function lineWithoutNotes(line: string): string {
  let [kept, at] = ['', 0];
  for (;;) {
    const open = line.indexOf('{#', at);
    const close = open < 0 ? -1 : line.indexOf('#}', open + 2);
    if (close < 0) return kept + line.slice(at);
    kept += line.slice(at, open);
    at = close + 2;
  }
}

/** A template without its notes and what stands in `{% comment %}`. */
export function withoutComments(source: string): string {
  const [first = '', ...commented] = withoutNotes(source).split(/\{%\s*comment\b/);
  const rests = commented.map((part) => {
    const end = /\{%\s*endcomment\s*%\}/.exec(part);
    return end ? part.slice(end.index + end[0].length) : '';
  });
  return first + rests.join('');
}
