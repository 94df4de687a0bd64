import type { Sql } from '../../db/sql.ts';

/** Sets the campaign the events of a page belong to. */
export async function saveCampaignOfPage(sql: Sql, pageId: number, campaignId: unknown): Promise<void> {
  await sql(
    `insert into events_eventpage (page_ptr_id, campaign_id) values ($1, $2)
     on conflict (page_ptr_id) do update set campaign_id = excluded.campaign_id`,
    [pageId, campaignId],
  );
}
