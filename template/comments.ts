import { TemplateError } from './errors.ts';
import { type Token, Tokens } from './tokens.ts';

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

/** A template without its notes and what stands in `{% comment %}`, by the tokens it is compiled from; what cannot be read stays as it is. */
export function withoutComments(source: string): string {
  const plain = withoutNotes(source);
  const tokens = new Tokens(plain);
  let [shown, from, commented] = ['', 0, false];
  try {
    for (let token = tokens.next(); token; token = tokens.next()) {
      if (!isTag(token, commented ? 'endcomment' : 'comment')) continue;
      if (!commented) shown += plain.slice(from, token.begin);
      from = tokens.at;
      commented = !commented;
    }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
  }
  return commented ? shown : shown + plain.slice(from);
}

const isTag = (token: Token, name: string) => token.kind === 'tag' && token.name === name;
