/**
 * The names that `{% include "name" %}` or `{% report "name" %}` tags of a template mention, each once. May find some in comments: it says what has to be
 * looked up before compiling, and the compiler takes what it needs.
 */
export function mentionsOf(tag: 'include' | 'report', source: string): string[] {
  const found = source.matchAll(tag === 'include' ? INCLUDE : REPORT);
  return [...new Set([...found].map(([, double, single]) => (double ?? single ?? '').replace(/\\(["'\\])/g, '$1')))];
}

const QUOTED = `\\s+(?:"((?:[^"\\\\]|\\\\.){0,500})"|'((?:[^'\\\\]|\\\\.){0,500})')`;
const INCLUDE = new RegExp(`\\{%-?\\s*include${QUOTED}`, 'g');
const REPORT = new RegExp(`\\{%-?\\s*report${QUOTED}`, 'g');
