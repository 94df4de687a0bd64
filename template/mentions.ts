import { withoutNotes } from './comments.ts';
import { TemplateError } from './errors.ts';
import { quotedName } from './expression.ts';
import { type TagToken, Tokens } from './tokens.ts';

// Read by the compiler's own tokens: a pattern of its own would pass over a tag that the compiler takes, and with it the grant the tag needs.

/**
 * The names that `{% include "name" %}` or `{% report "name" %}` tags of a template mention, each once. May find some in comments: it says what has to be
 * looked up before compiling, and the compiler takes what it needs.
 */
export function mentionsOf(tag: 'include' | 'report', source: string): string[] {
  const names = new Set<string>();
  const plain = withoutNotes(source);
  for (const { content } of tagsOf(plain, tag)) {
    const name = quotedName(plain, content);
    if (name !== null) names.add(name);
  }
  return [...names];
}

/** Whether there is such a tag, whatever it names. */
export function hasTag(tag: 'report', source: string): boolean {
  for (const _tag of tagsOf(withoutNotes(source), tag)) return true;
  return false;
}

/** The tags of a name, as far as a template can be read: what cannot be read is not compiled either. */
function* tagsOf(source: string, name: string): Generator<TagToken> {
  const tokens = new Tokens(source);
  try {
    for (let token = tokens.next(); token; token = tokens.next()) if (token.kind === 'tag' && token.name === name) yield token;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
  }
}
