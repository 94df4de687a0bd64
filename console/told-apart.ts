import { type Html, html } from './html.ts';

/** What pages are called: by title, and by name, too, where others have the same title. */
export function toldApart<Page extends { title: string; name: string }>(pages: readonly Page[]): (page: Page) => Html {
  const names = new Map<string, Set<string>>();
  const titleOf = ({ title, name }: Page) => title || name;
  for (const page of pages) names.set(titleOf(page), (names.get(titleOf(page)) ?? new Set()).add(page.name));
  return (page) => html`${titleOf(page)}${names.get(titleOf(page))!.size > 1 ? html` <small>${page.name}</small>` : ''}`;
}
