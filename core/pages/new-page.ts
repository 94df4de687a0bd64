import type { Sql } from '../../db/sql.ts';
import type { PageType } from '../../domain/words.ts';

/** Makes an empty page. @returns its id; null when a page has this name already */
export async function claimPage(sql: Sql, name: string, type: PageType): Promise<number | null> {
  const [made] = await sql<{ id: number }>(
    'insert into core_page (name, type) values ($1, $2) on conflict (name) do nothing returning id',
    [name, type],
  );
  return made?.id ?? null;
}

/** Each page has a followup from its beginning; where there is one already it stays. */
export async function ensureFollowup(sql: Sql, pageId: number): Promise<void> {
  await sql('insert into core_pagefollowup (page_id) values ($1) on conflict do nothing', [pageId]);
}
