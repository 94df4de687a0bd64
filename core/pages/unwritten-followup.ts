import type { Sql } from '../../db/sql.ts';

/**
 * The followup of a page, held. Each page has one from its beginning, so that whoever creates "the" followup of a page writes that one as long as
 * nobody else has.
 * @returns its id and whether it says anything yet; null where there is none
 */
export async function followupOf(sql: Sql, pageId: number): Promise<{ id: number; written: boolean } | null> {
  const [found] = await sql<{ id: number; written: boolean }>(
    `select id, url <> '' or send_email or send_notifications or send_taf or email_subject <> '' or email_body <> '' or email_custom_from <> ''
       or email_from_line_id is not null or email_wrapper_id is not null or notifications <> '[]' or taf_subject <> '' or taf_body <> '' as written
     from core_pagefollowup where page_id = $1 for update`,
    [pageId],
  );
  return found ?? null;
}
