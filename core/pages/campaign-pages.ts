import type { Sql } from '../../db/sql.ts';
import { NOW, run, tables } from '../../entities/tables.ts';

/** Makes these pages, and no others, those of a multilingual campaign. Run inside a transaction. */
export async function setCampaignPages(sql: Sql, campaignId: number, pageIds: number[]): Promise<void> {
  const set = (to: number | null) => tables.updateTable('core_page').set({ multilingual_campaign_id: to, updated_at: NOW });
  const left = set(null).where('multilingual_campaign_id', '=', campaignId);
  await run(sql, pageIds.length > 0 ? left.where('id', 'not in', pageIds) : left);
  if (pageIds.length === 0) return;
  await run(sql, set(campaignId).where('id', 'in', pageIds).where('multilingual_campaign_id', 'is distinct from', campaignId));
}
