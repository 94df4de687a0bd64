import type { Sql } from '../../db/sql.ts';
import { readUnsettled, type Unsettled } from './unsettled.ts';

/** A mailing being sent, as it is measured. Sums of big numbers are texts. */
export interface SendFigures {
  mailing_id: number;
  targeted: string;
  accepted: string;
  failed: string;
  skipped: string;
  uncertain: string;
  shards_open: number;
  /** Seconds since it committed last, on whichever of its held shards; null where none is held. A shard that a dead worker left may wait while the others go on. */
  lag: number | null;
}

/** What is measured of mailings. */
export interface Figures {
  byStatus: { status: string; count: number }[];
  sends: SendFigures[];
  unsettled: Unsettled[];
  /** Target sets asked for and not yet saved, and the age of the oldest in seconds. */
  rebuilds: { unfinished: number; oldest: number };
}

/** @param leaseSeconds how long a shard is held from its last commit on */
export async function readFigures(sql: Sql, leaseSeconds: number): Promise<Figures> {
  const [byStatus, sends, unsettled, [rebuilds]] = await Promise.all([
    sql<{ status: string; count: number }>('select status, count(*)::int as count from core_mailing group by status'),
    sql<SendFigures>(SENDS, [leaseSeconds]),
    readUnsettled(sql),
    sql<{ unfinished: number; oldest: number }>(REBUILDS),
  ]);
  return { byStatus, sends, unsettled, rebuilds: rebuilds ?? { unfinished: 0, oldest: 0 } };
}

const SENDS = `
  select s.mailing_id, coalesce(m.expected_send_count, 0) as targeted, sum(s.accepted) as accepted, sum(s.failed) as failed,
    sum(s.skipped) as skipped, sum(s.uncertain) as uncertain, (count(*) filter (where not s.finished))::int as shards_open,
    greatest(0, min($1 - extract(epoch from s.held_until - clock_timestamp())) filter (where s.held_until is not null))::float8 as lag
  from core_mailing m join send_shard s on s.mailing_id = m.id
  where m.status = 'sending' group by s.mailing_id, m.expected_send_count`;

const REBUILDS = `
  select count(*)::int as unfinished, coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest
  from core_mailingrebuild where not finished`;
