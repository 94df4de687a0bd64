/**
 * The names that `{% include "name" %}` or `{% report "name" %}` tags of a template mention, each once. May find some in comments: it says what has to be
 * looked up before compiling, and the compiler takes what it needs.
 */
export function mentionsOf(tag: 'include' | 'report', source: string): string[] {
  const names = new Set<string>();
  for (const { index, 0: opening } of source.matchAll(tag === 'include' ? INCLUDE : REPORT)) {
    const from = index + opening.length;
    const found = QUOTED.exec(source.slice(from, from + LONGEST_NAME));
    if (found) names.add((found[1] ?? found[2]!).replace(/\\(["'\\])/g, '$1'));
  }
  return [...names];
}

/** As long as the column that holds it may be. */
const LONGEST_NAME = 260;
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/s;
const INCLUDE = /\{%-?\s*include\s+/g;
const REPORT = /\{%-?\s*report\s+/g;
