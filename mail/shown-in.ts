import { withoutHtmlComments } from '../domain/html-comments.ts';
import { withoutComments } from '../template/comments.ts';

export type Version = 'html' | 'text';

/** A template without what nobody is shown: comments of its own language, and of HTML. */
export function shownIn(version: Version, template: string): string {
  const written = withoutComments(template);
  return version === 'html' ? withoutHtmlComments(written) : written;
}
