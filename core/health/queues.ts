import type { Sql } from '../../db/sql.ts';

/** Work of one kind that was asked for and is not done. */
export interface Queue {
  kind: 'rebuilds' | 'proofs' | 'reports' | 'uploads' | 'deliveries';
  waiting: number;
  /** How long the oldest has been waiting, in seconds; null where nothing waits. */
  oldest: number | null;
}

/** What waits of each kind. Small tables, and of deliveries those alone that are not over, by an index. */
const WAITING: Record<Queue['kind'], string> = {
  rebuilds: 'select created_at from core_mailingrebuild where not finished',
  proofs: 'select created_at from core_mailingproof where not finished',
  reports: `select created_at from core_backgroundtask where status in ('pending', 'running')`,
  uploads: `select created_at from core_upload where status in ('new', 'importing')`,
  // What waits for a webhook that is switched off waits for somebody to switch it on.
  deliveries: `select d.asked_at as created_at from core_webhook w join core_webhookdelivery d on d.webhook_id = w.id and d.status = 'pending' where w.active`,
};

/** What was asked for and is not done, of each kind. */
export function readQueues(sql: Sql): Promise<Queue[]> {
  return sql<Queue>(
    Object.entries(WAITING)
      .map(
        ([kind, rows]) =>
          `select '${kind}' as kind, count(*)::int as waiting, extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest from (${rows}) asked`,
      )
      .join(' union all '),
  );
}
