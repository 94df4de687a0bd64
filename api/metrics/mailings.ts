import { Gauge, type Registry } from 'prom-client';
import type { Sql } from '../../db/sql.ts';

interface SendRow {
  mailing_id: number;
  targeted: string;
  accepted: string;
  failed: string;
  skipped: string;
  uncertain: string;
  shards_open: number;
  lag: number | null;
}

/**
 * What the database knows of mailings, as gauges: true whatever process asks, and whatever worker has died. Several API processes give the same
 * numbers: take one of them (`max`), never their sum.
 * @param leaseSeconds SEND_LEASE_SECONDS: how long a shard is held from its last commit on
 * @returns reads them anew; to be called before each scrape. Throws what the database throws.
 */
export function measureMailings(registry: Registry, sql: Sql, leaseSeconds: number): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `campaign_${name}`, help, labelNames, registers: [registry] });

  const mailings = gauge('mailings', 'Mailings by status', ['status']);
  const recipients = gauge('send_recipients', 'Recipients of mailings being sent, by what became of them', ['mailing_id', 'outcome']);
  const shards = gauge('send_shards_open', 'Shards of a mailing being sent that are not finished', ['mailing_id']);
  const lag = gauge('send_ledger_lag_seconds', 'Longest time since a held shard of a mailing last committed', ['mailing_id']);
  const rebuilds = gauge('rebuilds_unfinished', 'Target sets asked for and not yet saved');
  const oldest = gauge('rebuild_oldest_seconds', 'Age of the oldest of them');

  return async () => {
    const [byStatus, sends, [waiting]] = await Promise.all([
      sql<{ status: string; count: number }>('select status, count(*)::int as count from core_mailing group by status'),
      sql<SendRow>(SENDS, [leaseSeconds]),
      sql<{ unfinished: number; oldest: number }>(REBUILDS),
    ]);
    for (const each of [mailings, recipients, shards, lag]) each.reset();
    for (const { status, count } of byStatus) mailings.set({ status }, count);
    for (const { mailing_id, shards_open, lag: seconds, targeted, ...counts } of sends) {
      const settled = OUTCOMES.reduce((sum, outcome) => sum + Number(counts[outcome]), 0);
      for (const outcome of OUTCOMES) recipients.set({ mailing_id, outcome }, Number(counts[outcome]));
      recipients.set({ mailing_id, outcome: 'pending' }, Number(targeted) - settled);
      shards.set({ mailing_id }, shards_open);
      lag.set({ mailing_id }, seconds ?? 0);
    }
    rebuilds.set(waiting?.unfinished ?? 0);
    oldest.set(waiting?.oldest ?? 0);
  };
}

const OUTCOMES = ['accepted', 'failed', 'skipped', 'uncertain'] as const;

const SENDS = `
  select s.mailing_id, coalesce(m.expected_send_count, 0) as targeted, sum(s.accepted) as accepted, sum(s.failed) as failed,
    sum(s.skipped) as skipped, sum(s.uncertain) as uncertain, (count(*) filter (where not s.finished))::int as shards_open,
    greatest(0, max($1 - extract(epoch from s.held_until - clock_timestamp())) filter (where s.held_until is not null))::float8 as lag
  from core_mailing m join send_shard s on s.mailing_id = m.id
  where m.status = 'sending' group by s.mailing_id, m.expected_send_count`;

const REBUILDS = `
  select count(*)::int as unfinished, coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as oldest
  from core_mailingrebuild where not finished`;
