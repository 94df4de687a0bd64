import type { Sql } from '../../db/sql.ts';
import { run, tables } from '../../entities/tables.ts';

/** Sets the campaign the events of a page belong to. */
export async function saveCampaignOfPage(sql: Sql, pageId: number, campaignId: unknown): Promise<void> {
  const campaign_id = campaignId as number;
  const page = tables.insertInto('events_eventpage').values({ page_ptr_id: pageId, campaign_id });
  await run(
    sql,
    page.onConflict((there) => there.column('page_ptr_id').doUpdateSet({ campaign_id })),
  );
}
