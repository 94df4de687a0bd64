import type { Sql } from '../../db/sql.ts';
import type { PageType } from '../../domain/words.ts';
import { statement, tables } from '../../entities/tables.ts';

const claim = statement((page: { name: string; type: PageType }) =>
  tables
    .insertInto('core_page')
    .values({ name: page.name, type: page.type })
    .onConflict((taken) => taken.column('name').doNothing())
    .returning('id'),
);

const follow = statement(({ page_id }: { page_id: number }) =>
  tables
    .insertInto('core_pagefollowup')
    .values({ page_id })
    .onConflict((there) => there.doNothing()),
);

/** Makes an empty page. @returns its id; null when a page has this name already */
export async function claimPage(sql: Sql, name: string, type: PageType): Promise<number | null> {
  const [made] = await claim(sql, { name, type });
  return made?.id ?? null;
}

/** Each page has a followup from its beginning; where there is one already it stays. */
export async function ensureFollowup(sql: Sql, pageId: number): Promise<void> {
  await follow(sql, { page_id: pageId });
}
