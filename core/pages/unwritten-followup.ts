import type { Sql } from '../../db/sql.ts';
import { statement, tables } from '../../entities/tables.ts';

const held = statement(({ pageId }: { pageId: number }) =>
  tables
    .selectFrom('core_pagefollowup')
    .where('page_id', '=', pageId)
    .select(['id', 'url', 'send_email', 'send_notifications', 'send_taf', 'email_subject', 'email_body', 'email_custom_from'])
    .select(['email_from_line_id', 'email_wrapper_id', 'notifications', 'taf_subject', 'taf_body'])
    .forUpdate(),
);

/**
 * The followup of a page, held. Each page has one from its beginning, so that whoever creates "the" followup of a page writes that one as long as
 * nobody else has.
 * @returns its id and whether it says anything yet; null where there is none
 */
export async function followupOf(sql: Sql, pageId: number): Promise<{ id: number; written: boolean } | null> {
  const [found] = await held(sql, { pageId });
  if (!found) return null;
  const { id, notifications, ...said } = found;
  return { id, written: notifications.length > 0 || Object.values(said).some(Boolean) };
}
