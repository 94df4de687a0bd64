import { Gauge, type Registry } from 'prom-client';
import { readFigures } from '../../core/sending/figures.ts';
import type { Sql } from '../../db/sql.ts';
import { MAILING_STATUSES } from '../../domain/words.ts';

/** To be read before each scrape. */
export interface MailingGauges {
  /** Reads them anew. Throws what the database throws. */
  read(): Promise<void>;
  /** They are told no more, until they are read: of several processes the one that has lost the database would hold a mailing under way that has ended. */
  forget(): void;
}

/**
 * What the database knows of mailings, as gauges: true whatever process asks, and whatever worker has died. Several API processes give the same
 * numbers: take one of them (`max`), never their sum.
 * @param leaseSeconds SEND_LEASE_SECONDS: how long a shard is held from its last commit on
 */
export function measureMailings(registry: Registry, sql: Sql, leaseSeconds: number): MailingGauges {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `campaign_${name}`, help, labelNames, registers: [registry] });

  const mailings = gauge('mailings', 'Mailings by status', ['status']);
  const recipients = gauge('send_recipients', 'Recipients of mailings being sent, by what became of them', ['mailing_id', 'outcome']);
  const shards = gauge('send_shards_open', 'Shards of a mailing being sent that are not finished', ['mailing_id']);
  const lag = gauge('send_ledger_lag_seconds', 'Time since a mailing last committed to one of its held shards', ['mailing_id']);
  const unsettled = gauge(
    'uncertain_recipients',
    'Of whom nobody knows whether they got the mail, also of mailings that have ended, until they are settled',
    ['mailing_id'],
  );
  const rebuilds = gauge('rebuilds_unfinished', 'Target sets asked for and not yet saved');
  const oldest = gauge('rebuild_oldest_seconds', 'Age of the oldest of them');

  const labelled = [mailings, recipients, shards, lag, unsettled];

  const read = async () => {
    const { byStatus, sends, unsettled: toSettle, rebuilds: waiting } = await readFigures(sql, leaseSeconds);
    for (const each of labelled) each.reset();
    // Those that no mailing has, too: what comes out of nothing is not seen to grow.
    for (const status of MAILING_STATUSES) mailings.set({ status }, 0);
    for (const { status, count } of byStatus) mailings.set({ status }, count);
    for (const { mailing_id, shards_open, lag: seconds, targeted, ...counts } of sends) {
      const settled = OUTCOMES.reduce((sum, outcome) => sum + Number(counts[outcome]), 0);
      for (const outcome of OUTCOMES) recipients.set({ mailing_id, outcome }, Number(counts[outcome]));
      recipients.set({ mailing_id, outcome: 'pending' }, Number(targeted) - settled);
      shards.set({ mailing_id }, shards_open);
      lag.set({ mailing_id }, seconds ?? 0);
    }
    for (const { mailing_id, uncertain } of toSettle) unsettled.set({ mailing_id }, uncertain);
    rebuilds.set(waiting.unfinished);
    oldest.set(waiting.oldest);
  };
  const forget = () => {
    for (const each of labelled) each.reset();
    // Resetting these would say that there is none.
    for (const each of [rebuilds, oldest]) each.remove();
  };
  return { read, forget };
}

const OUTCOMES = ['accepted', 'failed', 'skipped', 'uncertain'] as const;
