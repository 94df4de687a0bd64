import type { Sql } from '../../db/sql.ts';
import { timestampSql } from '../../db/timestamp-sql.ts';
import type { DeliveryStatus, WebhookEvent } from '../../domain/words.ts';

/** So many of a webhook's last deliveries are counted: a sum over all there were would take longer the more there are. */
export const COUNTED = 1000;

/** A webhook, and what became of the last of its deliveries. */
export interface WebhookState extends Record<DeliveryStatus, number> {
  id: number;
  url: string;
  description: string;
  events: WebhookEvent[];
  active: boolean;
}

export interface ReadDelivery {
  id: number;
  event: WebhookEvent;
  resource: string;
  resource_id: number;
  status: DeliveryStatus;
  attempts: number;
  last_status: number | null;
  last_error: string;
  next_at: string;
  tried_at: string | null;
  created_at: string;
}

const STATES = `select w.id, url, description, events, active, last.* from core_webhook w, lateral (
  select count(*) filter (where status = 'pending')::int as pending, count(*) filter (where status = 'delivered')::int as delivered,
    count(*) filter (where status = 'failed')::int as failed
  from (
    -- Between one and the same, so that the order is that of the index of each: by that of all, who was told of little has everybody's read.
    select status from core_webhookdelivery d where d.webhook_id between w.id and w.id order by d.webhook_id desc, d.id desc limit ${COUNTED}) of_it) last`;

/** A page of the webhooks, the newest first. @param before only older ones than this */
export const readWebhooks = (sql: Sql, { before, limit }: { before: number | null; limit: number }): Promise<WebhookState[]> =>
  sql(`${STATES} where $1::bigint is null or w.id < $1 order by w.id desc limit $2`, [before, limit]);

/** Null where there is none. */
export async function readWebhook(sql: Sql, id: number): Promise<WebhookState | null> {
  const [webhook] = await sql<WebhookState>(`${STATES} where w.id = $1`, [id]);
  return webhook ?? null;
}

/** How many there are, and how many of them are told. */
export async function countWebhooks(sql: Sql): Promise<{ all: number; active: number }> {
  const [row] = await sql<{ all: number; active: number }>(
    'select count(*)::int as all, count(*) filter (where active)::int as active from core_webhook',
  );
  return row!;
}

const STAMPS = ['next_at', 'tried_at', 'created_at'].map((column) => `${timestampSql(column)} as ${column}`).join(', ');

/** A webhook's deliveries, the newest first. @param status only those that stand so; @param before only older ones than this */
export const readDeliveries = (
  sql: Sql,
  webhookId: number,
  status: DeliveryStatus | null,
  { before, limit }: { before: number | null; limit: number },
): Promise<ReadDelivery[]> =>
  sql(
    `select id::float8 as id, event, resource, resource_id, status, attempts, last_status, last_error, ${STAMPS}
     from core_webhookdelivery d where webhook_id = $1 and ($2::bigint is null or id < $2) and ($3::text is null or status = $3)
     -- The table's, which an index has in order, not the number above.
     order by d.id desc limit $4`,
    [webhookId, before, status, limit],
  );
